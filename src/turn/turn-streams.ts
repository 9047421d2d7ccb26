import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { EventStream, quietSeconds, type ServerSentEvent } from '../contract/event-stream.js';
import type { Clock } from '../foundation/clock.js';
import { Waiters } from '../foundation/concurrency.js';
import { FolderWatch } from '../foundation/folders.js';
import {
  isRead,
  type PartPlace,
  pageOf,
  placeOf,
  type StreamedTurn,
  type TurnPartPage,
} from './part-pages.js';

/** A turn to read: `find` returns it as it is on record now, null where there is none. It is called again and again. */
export interface StreamSource {
  /** Names the turn among those of all sessions. */
  readonly key: string;
  find(): StreamedTurn | null;
}

/** How a caller wants the parts of a turn. */
export interface PartsWanted {
  /** The id of the last part that it has. */
  readonly after: string | undefined;
  readonly waitSeconds: number;
  /** Whether it wants a stream. */
  readonly streams: boolean;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
}

/** `read`: a stream that was read to its end; null: there is no such turn. */
export type PartsAnswer = TurnPartPage | EventStream<TurnPartPage> | 'read' | null;

/** Gives callers the parts of turns as they come. All readers of one turn share one look at it. */
export class TurnStreams {
  readonly #clock: Clock;
  readonly #followed = new Map<string, FollowedTurn>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws the fault that keeps the turn from being read. */
  async answer(
    source: StreamSource,
    { after, waitSeconds, streams, signal }: PartsWanted,
  ): Promise<PartsAnswer> {
    const page = await this.#next(source, placeOf(after), streams ? 0 : waitSeconds, signal);
    if (page === null || !streams) return page;
    if (isRead(placeOf(after))) return 'read';
    const next = async ({ next_after }: TurnPartPage): Promise<TurnPartPage | null> => {
      const place = placeOf(next_after);
      return isRead(place) ? null : this.#next(source, place, quietSeconds, signal);
    };
    return EventStream.of(page, { next, eventsOf: streamedParts, signal });
  }

  /** Looks at the turns that are followed; call it after each commit that may have changed one. */
  look(): void {
    for (const followed of this.#followed.values()) followed.look();
  }

  async #next(
    source: StreamSource,
    after: PartPlace,
    seconds: number,
    signal: AbortSignal,
  ): Promise<TurnPartPage | null> {
    const deadline = this.#clock.monotonic() + seconds * 1000;
    const followed = this.#followed.get(source.key) ?? new FollowedTurn(source, this.#clock);
    this.#followed.set(source.key, followed);
    followed.readers += 1;
    try {
      for (;;) {
        const page = followed.page(after);
        const left = deadline - this.#clock.monotonic();
        if (page === null || page.parts.length > 0 || isRead(after) || left <= 0 || signal.aborted)
          return page;
        await followed.change(left, signal);
      }
    } finally {
      followed.readers -= 1;
      if (followed.readers === 0) void this.#leave(source.key, followed);
    }
  }

  /** Ends the looks at a turn, unless a reader comes back for the next page. */
  async #leave(key: string, followed: FollowedTurn): Promise<void> {
    if (followed.isLeft) return;
    followed.isLeft = true;
    await this.#clock.sleep(lingerMilliseconds);
    followed.isLeft = false;
    if (followed.readers > 0) return;
    followed.close();
    this.#followed.delete(key);
  }
}

/** Returns the parts of a page as a stream has them. */
export const streamedParts = ({
  parts,
}: {
  readonly parts: readonly { readonly id: string; readonly kind: string }[];
}): ServerSentEvent[] => parts.map((part) => ({ id: part.id, event: part.kind, data: part }));

/** How long a turn is looked at after its last reader: readers of a stream leave with each page, and come back at once. */
const lingerMilliseconds = 1000;
/** The longest time in which a change of the record alone may go unnoticed. */
const pollMilliseconds = 100;
const anything = 'anything';
const unreadable = 'unreadable';

/** One turn while it has readers. */
class FollowedTurn {
  readers = 0;
  /** Whether it is about to be decided that no reader comes back. */
  isLeft = false;
  readonly #source: StreamSource;
  readonly #clock: Clock;
  readonly #waiters = new Waiters();
  readonly #closed = new AbortController();
  /** The pages since the last change, by the place that they begin behind. */
  readonly #pages = new Map<string, TurnPartPage>();
  readonly #folders: readonly string[];
  #state: string | null;
  #isWatched = false;

  constructor(source: StreamSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
    const turn = source.find();
    this.#state = stateOf(turn);
    this.#folders = turn === null ? [] : [dirname(turn.parts)];
  }

  page(after: PartPlace): TurnPartPage | null {
    const key = `${after.bytes}.${after.step}`;
    const known = this.#pages.get(key);
    if (known) return known;
    const turn = this.#source.find();
    const page = turn && pageOf(turn, after);
    if (page !== null && this.#isWatched) this.#pages.set(key, page);
    return page;
  }

  /** Resolves after a change, after that time, or when the signal aborts. */
  async change(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (!this.#isWatched) {
      this.#isWatched = true;
      void this.#watch();
      // No reader waits yet, so this change wakes none.
      if (this.look()) return;
    }
    await this.#waiters.wait(anything, milliseconds, signal);
  }

  /** Never throws: it is called where something else has just been committed. @returns whether the turn has changed. */
  look(): boolean {
    let state: string | null;
    try {
      state = stateOf(this.#source.find());
    } catch {
      // The readers ask again, and each gets the fault as its own.
      state = unreadable;
    }
    if (state === this.#state && state !== unreadable) return false;
    this.#state = state;
    this.#pages.clear();
    this.#waiters.wake(anything);
    return true;
  }

  close(): void {
    this.#closed.abort();
  }

  async #watch(): Promise<void> {
    const folder = new FolderWatch(this.#folders, this.#clock, pollMilliseconds);
    try {
      const { signal } = this.#closed;
      while (!signal.aborted) {
        await folder.change(signal);
        if (this.look()) await this.#clock.sleep(restFor(this.readers), signal);
      }
    } finally {
      folder.close();
      this.#isWatched = false;
      this.#pages.clear();
    }
  }
}

/**
 * Returns the pause after a change, in milliseconds: each reader costs a write, so the more there are, the more pieces come together.
 */
const restFor = (readers: number): number => Math.min(readers * 1.5, 150);

/** Returns a text that differs between states of a turn. */
function stateOf(turn: StreamedTurn | null): string | null {
  if (turn === null) return null;
  const size = statSync(turn.parts, { throwIfNoEntry: false })?.size ?? 0;
  return `${size} ${turn.row.delivery_state} ${turn.row.state}`;
}
