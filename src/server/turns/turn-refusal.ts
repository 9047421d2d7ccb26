import { sessionTrouble } from '../../agent/target/agent-target.js';
import { UnusableFile } from '../../foundation/faults.js';
import { StoreUnavailable } from '../../storage/storage-fault.js';
import { type ManagedAgent, spokenName } from '../directory/managed-agent.js';
import { RecordsUnreadable } from '../sessions/session-records.js';

/** The route of a prompt: the one for every agent, or the one for turns of headless agents. */
export type PromptWay = 'requests' | 'turns';

/** The reason why a prompt, an interrupt or a read of a turn failed. */
export interface TurnRefusal {
  readonly refused: /** The operation is for headless agents. */
    | 'not_headless'
    /** Something else runs or has to be settled first. */
    | 'busy'
    /** Another turn runs than the one that is meant, or none. */
    | 'other_turn'
    /** This agent cannot take it. */
    | 'invalid'
    /** The key was used with another body. */
    | 'key_reused'
    /** The running work could not be signalled. */
    | 'signal_failed'
    /** The agent, its session or its gateway cannot be reached now. */
    | 'unavailable'
    /** The agent has no such turn. */
    | 'no_turn';
  /** A sentence for callers. */
  readonly detail: string;
  /** The turn that keeps the agent busy. */
  readonly activeTurnId?: string;
  /** The request in the gateway's queue that is to begin the turn, or ended before it did. */
  readonly requestId?: string;
  /** Set where the outcome is unknown, with the turn that shows it; null where there is none. */
  readonly outcomeUnknown?: { readonly turnId: string | null };
}

export const refuse = (refused: TurnRefusal['refused'], detail: string): TurnRefusal => ({ refused, detail });

/**
 * Refuses a call whose outcome is unknown.
 * @param turnId the turn that shows the outcome, where there is one
 */
export const outcomeUnknown = (detail: string, turnId: string | null): TurnRefusal => ({
  ...refuse('unavailable', detail),
  outcomeUnknown: { turnId },
});

export const isRefused = (value: object): value is TurnRefusal => 'refused' in value;

/** The alternative of an agent in a terminal to an operation of headless agents; none for calls between gateway and server. */
const instead = {
  prompt: ' Prompt it with POST …/requests.',
  interrupt: ' Interrupt it with POST …/requests.',
  turn: ' Its turns are at GET …/turns/{turn_id}/record.',
  internal: '',
} as const;

export const notHeadless = (name: string, asked: keyof typeof instead): TurnRefusal =>
  refuse(
    'not_headless',
    `Agent \`${name}\` runs in a terminal; this operation is for headless agents.${instead[asked]}`,
  );

export const noSession = (agent: ManagedAgent): TurnRefusal =>
  refuse(
    'unavailable',
    `Agent \`${spokenName(agent)}\` has no session root, so it cannot be prompted from here.`,
  );

/** @param way the way to make a prompt wait for the end of the turn. */
export const activeTurn = (name: string, turnId: string | null, way: string): TurnRefusal => ({
  ...refuse('busy', `Agent \`${name}\` works${turnId === null ? '' : ` on turn \`${turnId}\``}; ${way}.`),
  ...(turnId !== null && { activeTurnId: turnId }),
});

/** The way for an agent with a gateway. */
export const queuesBehindIt = '`/gateway/requests` queues a prompt behind it';
/** The way for an agent without one. */
export const queuesWithGateway = `with a gateway attached, ${queuesBehindIt}`;

/**
 * Converts a fault in the files of a session, such as other processes cause, to a refusal without their paths.
 * @throws the error when it is a fault in the code.
 */
export function sessionRefusal(error: unknown, way: PromptWay): TurnRefusal {
  if (error instanceof RecordsUnreadable) return refuse('unavailable', error.message);
  if (error instanceof StoreUnavailable) return refuse('unavailable', error.fault.detail);
  if (!(error instanceof UnusableFile)) throw error;
  // On the route of turns, an agent that cannot be resumed is a conflict.
  return refuse(way === 'turns' ? 'busy' : 'unavailable', sessionTrouble(error));
}
