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
