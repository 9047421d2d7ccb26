import type { HeadlessHandlers } from '../../../generated/gateway/server/headless-handlers.js';
import { chatDefaultsOf } from '../../agent/target/resolve-session.js';
import { readManifest } from '../../session/manifest.js';
import { lacksHeadlessSection } from '../../session/manifest-facts.js';
import { adapterForBackend } from '../../tools/tool-registry.js';
import type { Gateway } from '../gateway.js';
import { type HeadlessState, headlessState } from '../status/headless-state.js';

export const headlessHandlers = (gateway: Gateway): HeadlessHandlers => ({
  getHeadlessState: async (_context, reply) => {
    const refusal = refusalOf(gateway);
    if (refusal) return reply(422, { detail: refusal });
    const state = await stateOf(gateway);
    return 'fault' in state ? reply(state.fault, { detail: state.detail }) : reply(200, state);
  },

  setNextPromptSession: async (_context, reply) => {
    const refusal = refusalOf(gateway);
    if (refusal) return reply(422, { detail: refusal });
    const state = await stateOf(gateway);
    if ('fault' in state) return reply(state.fault, { detail: state.detail });
    gateway.override.set();
    return reply(200, {
      ...state,
      chat_session: { ...state.chat_session, next_prompt_override: gateway.override.pending },
    });
  },
});

const refusalOf = (gateway: Gateway): string | null =>
  adapterForBackend(gateway.manifest.backend)
    ? null
    : `Headless control is not available for backend ${gateway.manifest.backend}.`;

/** Reads the manifest afresh each time. */
async function stateOf(gateway: Gateway): Promise<HeadlessState | { fault: 422 | 503; detail: string }> {
  await gateway.turns.freedByEnd();
  const axes = await gateway.board.current();
  try {
    const manifest = readManifest(gateway.paths.manifest);
    if (lacksHeadlessSection(manifest))
      return { fault: 422, detail: 'The session manifest has no headless section.' };
    const chat = chatDefaultsOf(manifest);
    return headlessState(
      axes,
      chat,
      gateway.override.pending,
      gateway.turns.liveTurnId,
      gateway.queue.paused ? null : gateway.reader.firstQueuedTurnId(),
    );
  } catch {
    return { fault: 503, detail: 'The session manifest cannot be read.' };
  }
}
