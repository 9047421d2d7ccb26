import type { TuiHandlers } from '../../../generated/gateway/server/tui-handlers.js';
import type { Gateway } from '../gateway.js';
import { trackedSession, wireHistory, wireState } from './terminal-wire.js';

export const tuiHandlers = (gateway: Gateway): TuiHandlers => {
  const { terminal } = gateway.target;
  const refusal = {
    detail: `The terminal routes are for agents that run in a terminal; backend ${gateway.manifest.backend} does not.`,
  };
  return {
    getTuiState: (_context, reply) =>
      terminal
        ? reply(200, wireState(trackedSession(gateway, terminal), terminal.state))
        : reply(422, refusal),
    getTuiHistory: ({ query }, reply) =>
      terminal
        ? reply(200, wireHistory(terminal, terminal.history(query.limit ?? 100)))
        : reply(422, refusal),
    notePrompt: ({ body }, reply) =>
      terminal
        ? reply(200, wireState(trackedSession(gateway, terminal), terminal.notePrompt(body.prompt)))
        : reply(422, refusal),
  };
};
