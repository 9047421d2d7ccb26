import type { components } from '../../generated/managed-agent/types.js';

/** The state of an agent in one word; the contract says what each means. */
export type AgentStanding = components['schemas']['AgentStanding'];

/** The part of a terminal's state, as both surfaces answer it, that decides how its agent stands. */
export interface SeenScreen {
  readonly diagnostics: { readonly availability: string };
  /** Without a session root for a terminal that was only registered: no launch started a tool in it. */
  readonly tracked_session: { readonly session_root: string | null };
  readonly recent_transitions: readonly { readonly process_state: string }[];
  readonly parsed_surface: {
    readonly business_state: string;
    readonly operator_blocked_excerpt: string | null;
  } | null;
}

/** The facts that decide how an agent stands. */
export interface StandingFacts {
  /** Whether its queue cannot be read or written. */
  readonly queueFault: boolean;
  /** Whether another instance of the agent has taken the place of the one that its queue was for. */
  readonly replaced: boolean;
  readonly reachable: boolean;
  /** Null for a headless agent, and where its screen was not looked at. */
  readonly screen: SeenScreen | null;
  /** Whether a turn of this software runs. */
  readonly running: boolean;
  /** Whether a prompt would begin at once; `busy` where the agent is at work otherwise, or somebody types. */
  readonly readiness: 'ready' | 'busy' | 'unknown';
}

/**
 * Pure: decides how an agent stands. Of several words that hold, the first one counts in the order of what a person would have to do
 * about it: a question on the screen says more than the turn that waits for its answer.
 */
export function standingOf(facts: StandingFacts): AgentStanding {
  const { screen } = facts;
  if (facts.queueFault) return 'fault';
  if (facts.replaced) return 'replaced';
  if (screen && toolEnded(screen)) return 'tool_ended';
  if (!facts.reachable) return 'unreachable';
  if (screen && askedOfPerson(screen) !== null) return 'needs_person';
  return facts.running ? 'working' : facts.readiness;
}

/**
 * Pure: decides whether the tool of a terminal has ended: it does not run there now, and it did, since a launch started it there or it was
 * seen. Of a terminal in which no tool was ever seen nothing is known to have ended.
 */
export const toolEnded = ({ diagnostics, tracked_session, recent_transitions }: SeenScreen): boolean =>
  diagnostics.availability === 'tui_down' &&
  (tracked_session.session_root !== null ||
    recent_transitions.some(({ process_state }) => process_state === 'tui_up'));

/** Returns the question to a person that the screen of the agent shows; null when it shows none. */
export const askedOfPerson = ({
  parsed_surface: screen,
}: Pick<SeenScreen, 'parsed_surface'>): string | null =>
  screen?.business_state === 'awaiting_operator' ? (screen.operator_blocked_excerpt ?? '') : null;
