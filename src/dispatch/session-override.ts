/**
 * The one-shot `next_prompt_override` (docs/decisions.md#which-conversation). Memory only: it does not survive a
 * restart.
 */
export class SessionOverride {
  #pending: { mode: 'new' } | null = null;

  get pending(): { mode: 'new' } | null {
    return this.#pending;
  }
  set(): void {
    this.#pending = { mode: 'new' };
  }
  consume(): void {
    this.#pending = null;
  }
}
