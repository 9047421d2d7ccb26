import type { TuiHandlers } from '../../../generated/gateway/server/tui-handlers.js';
import { doneHeader } from '../../contract/done-header.js';
import { errorCodeHeader } from '../../contract/error-code.js';
import { noTerminal } from '../../dispatch/type-keys.js';
import type { Gateway } from '../gateway.js';
import { answerTo, dialogNow, wireDialog } from './dialog-answers.js';
import { trackedSession, wireHistory, wireState } from './terminal-wire.js';

export const tuiHandlers = (gateway: Gateway): TuiHandlers => {
  const { dialogs, target } = gateway;
  const { terminal } = target;
  const refusal = { detail: noTerminal };
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
    getDialog: async (_context, reply) => {
      if (!terminal) return reply(422, refusal);
      const seen = await dialogNow(terminal);
      if ('detail' in seen) return reply(503, seen);
      return reply(200, { schema_version: 1, dialog: seen.dialog && wireDialog(seen.dialog) });
    },
    answerDialog: async ({ body }, reply) => {
      if (!terminal || !dialogs) return reply(422, refusal, { [errorCodeHeader]: 'no_terminal' });
      const answer = await answerTo(body, terminal, dialogs);
      if (answer.status === 200) return reply(200, answer.result);
      const { detail } = answer;
      if (answer.status === 409) return reply(409, { detail });
      if (answer.status === 422) return reply(422, { detail }, { [errorCodeHeader]: 'answer_refused' });
      return reply(503, { detail }, answer.lost ? { [doneHeader]: 'unknown' } : {});
    },
  };
};
