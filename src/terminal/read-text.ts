import type { Clock } from '../foundation/clock.js';
import type { ListedPane } from './pane-listing.js';

/** A screen of which tmux says that nothing was written is read again after this many looks all the same. */
const looksPerRead = 60;

export interface Reading {
  /** The second before the pane was listed, from {@link ReadText.now}. */
  at: number;
  /** Whether somebody tells when a program writes. */
  hears: boolean;
  capture: () => Promise<string>;
}

interface Kept {
  text: string;
  paneId: string;
  /** Null where somebody tells when a program writes. */
  at: number | null;
  writtenAt: number;
}

/** The text of a pane as it was read last, as long as nothing was written there since. */
export class ReadText {
  readonly #clock: Clock;
  #kept: Kept | null = null;
  #reading = false;
  #looks = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Seconds since 1970, whole as tmux has them. */
  now(): number {
    return Math.floor(this.#clock.now().getTime() / 1000);
  }

  /** Something was written, or what is looked at is another thing. */
  forget(): void {
    this.#kept = null;
    this.#reading = false;
  }

  /** Whether a pane as it is listed still has the text. */
  isOf(pane: ListedPane): boolean {
    return this.#kept !== null && holds(this.#kept, pane);
  }

  async read(pane: ListedPane, { at, hears, capture }: Reading): Promise<string> {
    this.#looks += 1;
    if (this.#kept && holds(this.#kept, pane) && this.#looks < looksPerRead) return this.#kept.text;
    this.#looks = 0;
    // Noted before it is read: what is written meanwhile makes it useless again.
    this.#reading = true;
    const text = await capture();
    const { paneId, writtenAt } = pane;
    this.#kept = this.#reading ? { text, paneId, at: hears ? null : at, writtenAt } : null;
    return text;
  }
}

/** tmux tells only the second in which something was written: what was read in that second may lack the rest of it. */
const holds = ({ paneId, at, writtenAt }: Kept, pane: ListedPane): boolean =>
  paneId === pane.paneId && (at === null || (pane.writtenAt === writtenAt && writtenAt < at));
