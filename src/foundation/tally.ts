/** Counts by the values of some labels. Counting is one look-up, since it is done where work passes. */
export class Tally {
  readonly #counts = new Map<string, number>();

  /** @param values of the labels, always in the same order; none contains a line break. */
  count(...values: readonly string[]): void {
    const key = values.join('\n');
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  *[Symbol.iterator](): Generator<[values: string[], count: number]> {
    for (const [key, count] of this.#counts) yield [key.split('\n'), count];
  }
}
