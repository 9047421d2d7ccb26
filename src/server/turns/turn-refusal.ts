/** Why a prompt, an interrupt or a look at a turn came to nothing. */
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
    /** What runs could not be signalled. */
    | 'signal_failed'
    /** The agent, its session or its gateway cannot be reached now. */
    | 'unavailable'
    /** The agent has no such turn. */
    | 'no_turn';
  /** A sentence for callers. */
  readonly detail: string;
  /** Set where it may be done all the same, with the turn that tells of it; null where there is none. */
  readonly unknown?: { readonly turnId: string | null };
}

export const refuse = (refused: TurnRefusal['refused'], detail: string): TurnRefusal => ({ refused, detail });

/** Nobody knows what became of it. @param turnId the turn that tells of it, where there is one */
export const unknownOutcome = (detail: string, turnId: string | null): TurnRefusal => ({
  ...refuse('unavailable', detail),
  unknown: { turnId },
});

export const isRefused = (value: object): value is TurnRefusal => 'refused' in value;
