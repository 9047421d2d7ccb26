/**
 * Which turn each accepted interrupt is meant for: the one that ran when it was accepted, and no later one
 * (docs/decisions.md#interrupts). Memory only: after a restart nothing runs, so nothing is bound.
 */
export class InterruptBindings {
  readonly #turns = new Map<string, string | null>();

  bind(requestId: string, turnId: string | null): void {
    this.#turns.set(requestId, turnId);
  }

  of(requestId: string): string | null {
    return this.#turns.get(requestId) ?? null;
  }

  forget(requestId: string): void {
    this.#turns.delete(requestId);
  }
}
