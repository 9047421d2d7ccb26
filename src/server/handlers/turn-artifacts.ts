import type { TurnsHandlers } from '../../../generated/managed-agent/server/turns-handlers.js';
import { fileText } from '../../contract/file-text.js';
import type { ManagedAgentServer } from '../server.js';
import { notHeadless } from '../turns/prompt-plan.js';
import { isRefused } from '../turns/turn-refusal.js';
import { agentOf } from './refusals.js';
import { refuseTurn } from './turn-refusals.js';

type ArtifactHandlers = Pick<TurnsHandlers, 'getTurnStdout' | 'getTurnStderr'>;

export const turnArtifactHandlers = (server: ManagedAgentServer): ArtifactHandlers => ({
  getTurnStdout: artifactHandler(server, 'stdout'),
  // Its answers are those of the other.
  getTurnStderr: artifactHandler(server, 'stderr') as unknown as TurnsHandlers['getTurnStderr'],
});

function artifactHandler(
  server: ManagedAgentServer,
  name: 'stdout' | 'stderr',
): TurnsHandlers['getTurnStdout'] {
  return async ({ path, headers, signal }, reply) => {
    const { agent, refusal } = await agentOf(server.directory, path.agent_ref, reply);
    if (refusal) return refusal;
    if (agent.transport === 'tui') return refuseTurn(reply, notHeadless(path.agent_ref, 'turn'));
    const found = await server.turnReader.find(agent, path.turn_id, 0, signal);
    if (isRefused(found)) return refuseTurn(reply, found);
    const file = await fileText(found.files[name], headers.Range);
    switch (file.status) {
      case 200:
        return reply(200, file.text, file.headers);
      case 206:
        return reply(206, file.text, file.headers);
      case 416:
        return reply(416, { detail: file.detail }, file.headers);
    }
  };
}
