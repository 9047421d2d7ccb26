import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { EventStream, type ServerSentEvent } from '../contract/handler-types.js';
import { quietSeconds } from '../events/read-event.js';
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
} from './turn-stream.js';

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
    const place = placeOf(after);
    if (!streams) return this.#next(source, place, waitSeconds, signal);
    if (source.find() === null) return null;
    return isRead(place) ? 'read' : new EventStream(this.#pages(source, place, signal), streamedParts);
  }

  /** Looks at the turns that are followed; call it after each commit that may have changed one. */
  look(): void {
    for (const followed of this.#followed.values()) followed.look();
  }

  async *#pages(source: StreamSource, from: PartPlace, signal: AbortSignal): AsyncGenerator<TurnPartPage> {
    let after = from;
    while (!signal.aborted) {
      const page = await this.#next(source, after, quietSeconds, signal);
      if (page === null) return;
      yield page;
      after = placeOf(page.next_after);
      if (isRead(after)) return;
    }
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
      if (followed.readers === 0) {
        followed.close();
        this.#followed.delete(source.key);
      }
    }
  }
}

/** Returns the parts of a page as a stream has them. */
export const streamedParts = ({
  parts,
}: {
  readonly parts: readonly { readonly id: string; readonly kind: string }[];
}): ServerSentEvent[] => parts.map((part) => ({ id: part.id, event: part.kind, data: part }));

/** The longest time in which a change of the record alone may go unnoticed. */
const pollMilliseconds = 100;
const anything = 'anything';
const unreadable = 'unreadable';

/** One turn while it has readers. */
class FollowedTurn {
  readers = 0;
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
      // Nobody waits yet who could be woken.
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
      while (!this.#closed.signal.aborted) {
        await folder.change(this.#closed.signal);
        this.look();
      }
    } finally {
      folder.close();
      this.#isWatched = false;
      this.#pages.clear();
    }
  }
}

/** Returns a text that differs between states of a turn. */
function stateOf(turn: StreamedTurn | null): string | null {
  if (turn === null) return null;
  const size = statSync(turn.parts, { throwIfNoEntry: false })?.size ?? 0;
  return `${size} ${turn.row.delivery_state} ${turn.row.state}`;
}
