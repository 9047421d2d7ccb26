/** Adds up what the messages of a turn used. A message that is told again counts once, as it was told last. */
export class UsageSum {
  readonly #messages = new Map<string, Record<string, unknown>>();

  add(message: string, usage: Record<string, unknown> | null): void {
    if (usage !== null) this.#messages.set(message, usage);
  }

  /** Null when nothing is known. */
  get total(): Record<string, number> | null {
    const total: Record<string, number> = {};
    for (const usage of this.#messages.values())
      for (const [name, count] of Object.entries(usage))
        if (typeof count === 'number') total[name] = (total[name] ?? 0) + count;
    return Object.keys(total).length > 0 ? total : null;
  }
}
