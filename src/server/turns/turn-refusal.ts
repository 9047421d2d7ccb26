/** Why a prompt, an interrupt or a look at a turn came to nothing. */
export interface TurnRefusal {
  readonly refused: /** The operation is for headless agents. */
    | 'not_headless'
    /** Something else runs or has to be settled first. */
    | 'busy'
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
  /** Whether it may be done all the same: who was asked was lost. */
  readonly mayBeDone?: true;
}

export const refuse = (refused: TurnRefusal['refused'], detail: string): TurnRefusal => ({ refused, detail });

/** Nobody knows what became of it. */
export const unknownOutcome = (detail: string): TurnRefusal => ({
  ...refuse('unavailable', detail),
  mayBeDone: true,
});

export const isRefused = (value: object): value is TurnRefusal => 'refused' in value;
