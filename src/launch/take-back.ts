/** What was made so far, and how each of it is taken away again when a later step fails. */
export class TakeBack {
  readonly #made: { what: string; undo: () => unknown }[] = [];
  readonly #kept: string[] = [];

  /** @param what names it for people. */
  add(what: string, undo: () => unknown): void {
    this.#made.push({ what, undo });
  }

  /** What stays whatever comes. @param what names it for people. */
  keep(what: string): void {
    this.#kept.push(what);
  }

  /** Takes all of it away, the latest first; one that fails keeps no other. @returns what is there all the same. */
  async run(): Promise<string[]> {
    const left = this.#kept.splice(0);
    for (const { what, undo } of this.#made.splice(0).reverse())
      try {
        await undo();
      } catch {
        left.push(what);
      }
    return left;
  }
}
