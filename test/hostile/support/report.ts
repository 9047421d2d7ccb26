/** How many requests each operation had, and how they were answered; says how far the run is. */
export class Tally {
  readonly #total: number;
  readonly #counts = new Map<string, Map<number, number>>();
  readonly #began = performance.now();
  #sent = 0;

  constructor(total: number) {
    this.#total = total;
  }

  count(operationId: string, status: number): void {
    const statuses = this.#counts.get(operationId) ?? new Map<number, number>();
    this.#counts.set(operationId, statuses);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    this.#sent += 1;
    if (this.#sent % Math.max(1000, Math.floor(this.#total / 20)) === 0)
      console.log(`hostile: ${this.#sent} of ${this.#total}, ${this.#seconds()} s`);
  }

  table(): string {
    const rows = [...this.#counts].map(([name, statuses]) => {
      const sorted = [...statuses].sort(([a], [b]) => a - b);
      const count = sorted.reduce((sum, [, times]) => sum + times, 0);
      return `${name.padEnd(22)} ${String(count).padStart(6)}  ${sorted.map(([status, times]) => `${status}: ${times}`).join(', ')}`;
    });
    return `${rows.join('\n')}\nhostile: ${this.#sent} requests in ${this.#seconds()} s`;
  }

  #seconds(): string {
    return ((performance.now() - this.#began) / 1000).toFixed(0);
  }
}

export const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
