/**
 * Which turn each accepted interrupt is meant for: the one that ran when it was accepted, and no later one (decision 8).
 * Memory only: after a restart nothing runs, so nothing is bound.
 */
export class InterruptBindings {
  readonly #turns = new Map<string, string | null>();

  bind(requestId: string, turnId: string | null): void {
    this.#turns.set(requestId, turnId);
  }

  /** Hands the binding over; it is forgotten here. */
  release(requestId: string): string | null {
    const turnId = this.#turns.get(requestId) ?? null;
    this.#turns.delete(requestId);
    return turnId;
  }
}
