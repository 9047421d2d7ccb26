import type { TuiHandlers } from '../../../generated/gateway/server/tui-handlers.js';
import type { components } from '../../../generated/gateway/types.js';
import { type AgentTerminal, TerminalLost } from '../../agent/target/agent-terminal.js';
import { doneHeader, errorCodeHeader } from '../../contract/refusals.js';
import { noTerminal } from '../../dispatch/type-keys.js';
import { wireSnapshot, wireTerminal } from '../../terminal/terminal-wire.js';
import type { TerminalSnapshot, TerminalState } from '../../terminal/tracker/terminal-state.js';
import type { Gateway } from '../gateway.js';
import { answerTo, dialogNow, wireDialog } from './dialog-answers.js';

export const tuiHandlers = (
  gateway: Pick<Gateway, 'dialogs' | 'manifest' | 'paths' | 'target'>,
): TuiHandlers => {
  const { dialogs, target } = gateway;
  const { terminal } = target;
  const refusal = { detail: noTerminal };
  return {
    getTuiState: (_context, reply) =>
      terminal
        ? reply(200, wireState(trackedSession(gateway, terminal), terminal.state))
        : reply(422, refusal),
    getTuiScreen: async ({ query: { after, wait_seconds: seconds = 0 }, signal }, reply) => {
      if (!terminal) return reply(422, refusal);
      try {
        const screen = await terminal.screen({ after, milliseconds: seconds * 1000, signal });
        return reply(200, { schema_version: 1, ...screen });
      } catch (error) {
        if (!(error instanceof TerminalLost)) throw error;
        return reply(503, { detail: screenNotSeen });
      }
    },
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

type Wire = components['schemas'];

const screenNotSeen = 'The screen cannot be read now: the terminal is gone, or tmux does not answer.';

/** Converts the state of a terminal to the form of the contract. */
export const wireState = (session: Wire['TrackedSession'], state: TerminalState): Wire['TerminalState'] => ({
  terminal_id: session.tracked_session_id,
  tracked_session: session,
  ...wireTerminal(state),
});

const wireHistory = (
  { names: { sessionId } }: AgentTerminal,
  entries: readonly TerminalSnapshot[],
): Wire['TerminalHistory'] => ({
  terminal_id: sessionId,
  tracked_session_id: sessionId,
  entries: entries.map(wireSnapshot),
});

function trackedSession(
  { manifest, paths }: Pick<Gateway, 'manifest' | 'paths'>,
  { names, toolVersion }: AgentTerminal,
): Wire['TrackedSession'] {
  return {
    tracked_session_id: names.sessionId,
    session_name: names.sessionId,
    tool: names.tool,
    observed_tool_version: toolVersion,
    tmux_session_name: names.tmuxSession,
    tmux_window_name: manifest.tmux?.primary_window_name ?? null,
    terminal_aliases: [],
    agent_name: manifest.agent_name ?? null,
    agent_id: manifest.agent_id ?? null,
    manifest_path: paths.manifest,
    session_root: paths.root,
  };
}
