import type { Schemas } from '@houmao/sdk';

type TerminalState = Schemas['TerminalState'];

/** What keeps prompts from a terminal: the sentence, and what to do about it. */
interface ObstacleWords {
  holds(state: TerminalState): boolean;
  sentence: string;
  remedy(name: string, tmuxSession: string): string;
}

const attach = (_name: string, tmuxSession: string): string => `tmux attach -t ${tmuxSession}`;

/** The first that holds is told: those before explain those after. */
const obstacles: readonly ObstacleWords[] = [
  {
    holds: ({ diagnostics }) => diagnostics.availability === 'unavailable',
    sentence: 'the terminal of the agent is gone',
    remedy: (name) => `houmao-mgr agents doctor ${name}`,
  },
  {
    holds: ({ diagnostics }) => diagnostics.availability === 'tui_down',
    sentence: 'the tool has ended; start it again in its terminal',
    remedy: attach,
  },
  {
    holds: ({ diagnostics }) => diagnostics.availability !== 'available',
    sentence: 'what the terminal shows cannot be read; look at it',
    remedy: attach,
  },
  {
    holds: ({ parsed_surface }) => parsed_surface?.business_state === 'awaiting_operator',
    sentence: 'the agent waits for a person; answer it',
    remedy: attach,
  },
  {
    holds: ({ turn }) => turn.phase === 'active',
    sentence: 'the agent works on something that was not asked through this gateway; wait, or look at it',
    remedy: attach,
  },
  {
    holds: ({ surface }) => surface.editing_input === 'yes',
    sentence: 'a draft stands in the composer; wait until it is sent, or clear it',
    remedy: (name) => `houmao-mgr agents keys ${name} '<[C-u]>'`,
  },
  {
    holds: ({ stability }) => !stability.stable,
    sentence: 'the screen has just changed; wait a moment, then look again',
    remedy: (name) => `houmao-mgr agents gateway status ${name}`,
  },
];

const notSeen: Omit<ObstacleWords, 'holds'> = {
  sentence: 'the agent does not say that it is ready for a prompt; look at it',
  remedy: attach,
};

/** Why a terminal takes no prompt now, and what to do, in one line. */
export function obstacleWords(state: TerminalState, name: string): string {
  const { sentence, remedy } = obstacles.find(({ holds }) => holds(state)) ?? notSeen;
  return `${sentence}: ${remedy(name, state.tracked_session.tmux_session_name)}`;
}
