import type { Clock } from '../foundation/clock.js';
import type { ListedPane } from './pane-listing.js';

/** After this many reads a screen is captured again even if tmux reports no output. */
const readsPerCapture = 60;

export interface CaptureRequest {
  /** The time just before the pane was listed, in seconds, as {@link ReadText.now} gave it. */
  at: number;
  /** Whether the connection reports when a program writes. */
  hears: boolean;
  capture: () => Promise<string>;
}

interface Kept {
  text: string;
  paneId: string;
  /** Null if the connection reports when a program writes. */
  at: number | null;
  writtenAt: number;
}

/** The last captured text of a pane, valid as long as nothing was written there since. */
export class ReadText {
  readonly #clock: Clock;
  #kept: Kept | null = null;
  #reading = false;
  #reads = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns seconds since 1970, whole as tmux has them. */
  now(): number {
    return Math.floor(this.#clock.now().getTime() / 1000);
  }

  /** Discards the text: something was written, or another pane is observed. */
  forget(): void {
    this.#kept = null;
    this.#reading = false;
  }

  /** Decides whether a listed pane still has the text. */
  isOf(pane: ListedPane): boolean {
    return this.#kept !== null && holds(this.#kept, pane);
  }

  async read(pane: ListedPane, { at, hears, capture }: CaptureRequest): Promise<string> {
    this.#reads += 1;
    if (this.#kept && holds(this.#kept, pane) && this.#reads < readsPerCapture) return this.#kept.text;
    this.#reads = 0;
    // Set before the capture: output during the capture makes the text invalid again.
    this.#reading = true;
    const text = await capture();
    const { paneId, writtenAt } = pane;
    this.#kept = this.#reading ? { text, paneId, at: hears ? null : at, writtenAt } : null;
    return text;
  }
}

/**
 * Decides whether a text is still valid. tmux gives only the second of the last output: a text that was captured in that second
 * may lack the rest of it.
 */
const holds = ({ paneId, at, writtenAt }: Kept, pane: ListedPane): boolean =>
  paneId === pane.paneId && (at === null || (pane.writtenAt === writtenAt && writtenAt < at));
