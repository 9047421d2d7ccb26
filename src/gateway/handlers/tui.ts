import type { TuiHandlers } from '../../../generated/gateway/server/tui-handlers.js';
import type { Gateway } from '../gateway.js';
import { notImplementedText } from './not-implemented.js';

export const tuiHandlers = (gateway: Gateway): TuiHandlers => {
  const terminal = gateway.target.capabilities.screen !== 'none';
  const refusal = {
    detail: `The terminal routes are for agents that run in a terminal; backend ${gateway.manifest.backend} does not.`,
  };
  return {
    getTuiState: (_context, reply) =>
      terminal ? reply(501, { detail: notImplementedText('getTuiState') }) : reply(422, refusal),
    getTuiHistory: (_context, reply) =>
      terminal ? reply(501, { detail: notImplementedText('getTuiHistory') }) : reply(422, refusal),
    notePrompt: (_context, reply) =>
      terminal ? reply(501, { detail: notImplementedText('notePrompt') }) : reply(422, refusal),
  };
};
