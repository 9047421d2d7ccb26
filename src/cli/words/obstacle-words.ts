import type { Schemas } from '@houmao/sdk';
import { askedOfPerson } from '../../contract/agent-standing.js';

/**
 * Names the diagnosis for an agent. The doctor reads files, so it is run on the machine that has them.
 *
 * @param server the flag that leads to the server that was asked, with a blank before it; empty when none was
 */
export const doctorWords = (name: string, server: string): string =>
  server === '' ? `houmao-mgr agents doctor ${name}` : `the doctor on the agent's machine`;

type TerminalState = Schemas['TerminalState'];

/** An obstacle that keeps prompts from a terminal: the sentence, and the remedy. */
interface ObstacleWords {
  holds(state: TerminalState): boolean;
  sentence: string;
  /** @param server the flag that leads to the same server, with a blank before it; empty when none is needed */
  remedy(name: string, tmuxSession: string, server: string): string;
}

const attach = (_name: string, tmuxSession: string): string => `tmux attach -t ${tmuxSession}`;

/** Only the first that holds is reported, since earlier ones explain later ones. */
const obstacles: readonly ObstacleWords[] = [
  {
    holds: ({ diagnostics }) => diagnostics.availability === 'unavailable',
    sentence: 'the terminal of the agent is gone',
    remedy: (name, _tmuxSession, server) => doctorWords(name, server),
  },
  {
    holds: ({ diagnostics }) => diagnostics.availability === 'tui_down',
    sentence: 'the tool has ended in its terminal; start it again',
    remedy: (name) => `houmao-mgr agents restart ${name}`,
  },
  {
    holds: ({ diagnostics }) => diagnostics.availability !== 'available',
    sentence: 'the screen of the terminal cannot be read; look at it',
    remedy: attach,
  },
  {
    holds: (state) => askedOfPerson(state) !== null,
    sentence: 'the agent waits for a person; see what it asks, and answer it',
    remedy: (name, _tmuxSession, server) => `houmao-mgr agents answer ${name}${server}`,
  },
  {
    holds: ({ turn }) => turn.phase === 'active',
    sentence: 'the agent works on something that did not come through this gateway; wait, or look at it',
    remedy: attach,
  },
  {
    holds: ({ surface }) => surface.editing_input === 'yes',
    sentence: 'an unsent draft is in the composer; wait until it is sent, or clear it',
    remedy: (name, _tmuxSession, server) => `houmao-mgr agents keys ${name} '<[C-u]>'${server}`,
  },
  {
    holds: ({ stability }) => !stability.stable,
    sentence: 'the screen has just changed; wait a moment, then look again',
    remedy: (name, _tmuxSession, server) => `houmao-mgr agents gateway status ${name}${server}`,
  },
];

const notSeen: Omit<ObstacleWords, 'holds'> = {
  sentence: 'the agent does not report that it is ready for a prompt; look at it',
  remedy: attach,
};

/** Says in one line why a terminal takes no prompt now, and what to do. */
export function obstacleWords(state: TerminalState, name: string, server: string): string {
  const { sentence, remedy } = obstacles.find(({ holds }) => holds(state)) ?? notSeen;
  return `${sentence}: ${remedy(name, state.tracked_session.tmux_session_name, server)}`;
}

/**
 * Says why a request waits. If a command would end that, the command takes the place of the gateway's own route.
 *
 * @param server the flag that leads to the same server, with a blank before it; empty when none is needed
 */
export function reasonWords(
  { code, detail }: Schemas['WaitingReason'],
  name: string,
  server: string,
): string {
  if (code === 'paused')
    return `The queue is paused; resume it: houmao-mgr agents gateway resume ${name}${server}`;
  if (code === 'reconciliation')
    return `The agent was replaced; decide what becomes of the waiting requests: houmao-mgr agents gateway reconcile ${name} --adopt${server}`;
  return terminalReason(detail, name, server) ?? detail;
}

/** Signs of a terminal in the gateway's detail, and the sentence for each. The first that is found explains those after it. */
const signs: readonly (readonly [RegExp, (name: string, server: string) => string])[] = [
  [
    /availability='tui_down'/,
    (name) => `its tool has ended in its terminal. Start it again: houmao-mgr agents restart ${name}`,
  ],
  [
    /availability='/,
    (name, server) => `its screen cannot be read now. Look at it: houmao-mgr agents screen ${name}${server}`,
  ],
  [
    /blocked='|self_report='waiting'/,
    (name, server) => `it asks a person something. Answer it: houmao-mgr agents answer ${name}${server}`,
  ],
  [/turn\.phase='active'|self_report='busy'/, () => 'the agent works on something else'],
  [
    /editing_input='yes'/,
    (name, server) =>
      `an unsent draft is in its composer. Send or clear it: houmao-mgr agents keys ${name} '<[C-u]>'${server}`,
  ],
  [/stability\.stable=false/, () => 'the screen is still changing'],
];

/** Returns null for a detail without a sign of a terminal. */
function terminalReason(detail: string, name: string, server: string): string | null {
  const [, words] = signs.find(([sign]) => sign.test(detail)) ?? [];
  return words?.(name, server) ?? null;
}
