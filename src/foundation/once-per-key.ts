/**
 * Calls that come under a key while the first with it is under way share its outcome, its error too: so a call that is repeated because
 * its answer was lost never runs beside itself.
 */
export class OncePerKey<Answer> {
  readonly #underWay = new Map<string, { digest: string; answer: Promise<Answer> }>();

  /**
   * @param digest of what is asked for.
   * @param work begun only when nothing is under way with this key.
   * @returns null when something else is under way with this key; `shared` when the answer is that of an earlier call.
   */
  async run(
    key: string,
    digest: string,
    work: () => Promise<Answer>,
  ): Promise<{ answer: Answer; shared: boolean } | null> {
    const known = this.#underWay.get(key);
    if (known) return known.digest === digest ? { answer: await known.answer, shared: true } : null;
    const answer = work();
    this.#underWay.set(key, { digest, answer });
    try {
      return { answer: await answer, shared: false };
    } finally {
      this.#underWay.delete(key);
    }
  }
}
