import type { InternalHandlers } from '../../../generated/managed-agent/server/internal-handlers.js';
import type { ManagedAgentServer } from '../server.js';
import { interruptForwarded, runForwarded } from '../turns/forwarded-prompts.js';
import { isRefused, notHeadless } from '../turns/submissions.js';
import { wireDetail } from './agent-wire.js';
import { agentOf, refuseTurn } from './refusals.js';
import { interruptAction } from './turns.js';

/** Handles the calls of gateways to the server that runs their turns. None of them calls the gateway back. */
export const internalHandlers = (
  server: Pick<ManagedAgentServer, 'directory' | 'directInspection' | 'parts' | 'sessions'>,
): InternalHandlers => ({
  getHeadlessDetail: async ({ path }, reply) => {
    const { agent, refusal } = await agentOf(server.directory, path.agent_ref, reply);
    if (refusal) return refusal;
    if (agent.transport === 'tui') return refuseTurn(reply, notHeadless(path.agent_ref, 'internal'));
    return reply(200, wireDetail(await server.directInspection.detail(agent)));
  },

  runHeadlessPrompt: async ({ path, body, signal }, reply) => {
    const { agent, refusal } = await agentOf(server.directory, path.agent_ref, reply);
    if (refusal) return refusal;
    const { prompt, turn_id, chat_session, execution } = body;
    const forwarded = {
      prompt,
      turnId: turn_id ?? null,
      chatSession: chat_session ?? null,
      execution: execution ?? null,
    };
    const refused = await runForwarded(server.sessions, agent, forwarded, server.parts.host.clock, signal);
    return refused ? refuseTurn(reply, refused) : reply(200, { success: true });
  },

  interruptHeadlessTurn: async ({ path }, reply) => {
    const { agent, refusal } = await agentOf(server.directory, path.agent_ref, reply);
    if (refusal) return refusal;
    const interrupted = await interruptForwarded(server.sessions, agent, server.parts.host.clock);
    return isRefused(interrupted)
      ? refuseTurn(reply, interrupted)
      : reply(200, interruptAction(agent, interrupted));
  },
});
