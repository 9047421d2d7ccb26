import type { components } from '../../generated/managed-agent/types.js';

/** The state of an agent in one word; the contract says what each means. */
export type AgentStanding = components['schemas']['AgentStanding'];

/** The part of a terminal's state, as both surfaces answer it, that decides how its agent stands. */
export interface SeenScreen {
  readonly diagnostics: { readonly availability: string };
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
  if (screen?.diagnostics.availability === 'tui_down') return 'tool_ended';
  if (!facts.reachable) return 'unreachable';
  if (screen && askedOfPerson(screen) !== null) return 'needs_person';
  return facts.running ? 'working' : facts.readiness;
}

/** Returns the question to a person that the screen of the agent shows; null when it shows none. */
export const askedOfPerson = ({ parsed_surface: screen }: SeenScreen): string | null =>
  screen?.business_state === 'awaiting_operator' ? (screen.operator_blocked_excerpt ?? '') : null;
