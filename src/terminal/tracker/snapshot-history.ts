import type { TerminalSnapshot } from './terminal-snapshot.js';

const mostSnapshots = 1000;
/** In UTF-16 units. A long scrollback that changes with every look would otherwise fill the memory. */
const mostText = 32 * 1024 * 1024;

/** The newest snapshots: at most 1000 or as many as are asked for, and together of at most 32 Mi units of text, but always the newest one. */
export class SnapshotHistory {
  readonly #entries: TerminalSnapshot[] = [];
  readonly #most: number;
  readonly #mostText: number;
  #text = 0;

  constructor(options: { most?: number | null | undefined; mostText?: number } = {}) {
    this.#most = options.most ?? mostSnapshots;
    this.#mostText = options.mostText ?? mostText;
  }

  add(snapshot: TerminalSnapshot): void {
    this.#text += newText(snapshot, this.#entries.at(-1));
    this.#entries.push(snapshot);
    while (this.#entries.length > 1 && (this.#entries.length > this.#most || this.#text > this.#mostText))
      this.#drop();
  }

  /** The oldest first. @param limit how many of the newest; zero and less means all. */
  newest(limit: number): readonly TerminalSnapshot[] {
    return limit > 0 ? this.#entries.slice(-limit) : this.#entries.slice();
  }

  #drop(): void {
    const dropped = this.#entries.shift();
    const first = this.#entries[0];
    if (dropped && first)
      this.#text -= newText(dropped, undefined) + newText(first, dropped) - newText(first, undefined);
  }
}

/** What a snapshot holds that the one before it does not. */
function newText(snapshot: TerminalSnapshot, before: TerminalSnapshot | undefined): number {
  const { parsed, probe } = snapshot;
  const projection = parsed && parsed.text !== before?.parsed?.text ? parsed.text : null;
  const excerpt = probe && probe.captured !== before?.probe?.captured ? probe.captured.excerpt : '';
  const { normalized, dialog, head, tail } = projection ?? { normalized: '', dialog: '', head: '', tail: '' };
  return normalized.length + dialog.length + head.length + tail.length + excerpt.length;
}
