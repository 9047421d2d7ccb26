import { EventEmitter, once } from 'node:events';
import { Type } from '@sinclair/typebox';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { Clock } from '../../foundation/clock.js';
import type { JmapClient } from './client/jmap-client.js';
import type { MethodCall } from './client/method-calls.js';

const StateSchema = Type.Object({ state: Type.String() });
const stateCall: MethodCall = ['Email/get', { ids: [] }, 'state'];

/** Milliseconds between two requests of one wait: where the server reports no changes by itself, and where it does. */
const pollMilliseconds = 1000;
const pushedMilliseconds = 30_000;

/**
 * Detects changes of mail. A push says when to ask, and the state of the account says whether it has changed: so a lost push, one
 * too many, or a server that has forgotten the old state makes no difference.
 */
export class AccountWatch {
  readonly #client: JmapClient;
  readonly #push: PushStream;
  readonly #clock: Clock;
  #state: string | null = null;

  constructor(client: JmapClient, push: PushStream, clock: Clock) {
    this.#client = client;
    this.#push = push;
    this.#clock = clock;
  }

  /** The first call returns at once, because earlier changes are unknown. @returns whether mail may have changed. */
  async change(enough: AbortSignal, longest: number): Promise<boolean> {
    const until = this.#clock.monotonic() + longest;
    this.#push.want();
    for (;;) {
      const done = new AbortController();
      // The listener is added before the request, so that a change that is reported meanwhile wakes the wait, too.
      const wakeUp = once(this.#push.changes, 'changed', { signal: done.signal }).catch(() => undefined);
      try {
        if (await this.#isNew(enough)) return true;
        const left = until - this.#clock.monotonic();
        if (enough.aborted || left <= 0) return false;
        const pause = Math.min(left, this.#push.isLive ? pushedMilliseconds : pollMilliseconds);
        await Promise.race([wakeUp, this.#clock.sleep(pause, AbortSignal.any([enough, done.signal]))]);
      } finally {
        done.abort();
      }
    }
  }

  close(): void {
    this.#push.close();
  }

  /** Ends with `enough`, also where the server does not answer. */
  async #isNew(enough: AbortSignal): Promise<boolean> {
    const answers = await this.#client.call('look', [stateCall], enough).catch((error) => {
      if (enough.aborted) return null;
      throw error;
    });
    if (answers === null) return false;
    const { state } = answers.of(stateCall, StateSchema);
    const isNew = state !== this.#state;
    this.#state = state;
    return isNew;
  }
}

// The server's own reports that something changed (RFC 8620, section 7.3). The states of the stream:
//   off: no caller has waited for a while
//   opening: the stream is requested; until the server answers, callers that wait ask by themselves
//   live: its reports wake the callers
//   waiting: it was lost, or the server has none: it is requested again after a pause

/** Seconds between two signs of life that are requested; servers may take more. */
const pingSeconds = 30;
/** In milliseconds: a connection that is silent for longer counts as lost. */
const longestSilence = 2.5 * pingSeconds * 1000;
/** Milliseconds until the stream is requested again: after a loss, and where the server has none. */
const afterLoss = 1000;
const afterRefusal = 300_000;
/** In milliseconds: the stream is closed when no caller has waited for this time. */
const longestUnwanted = 60_000;

/**
 * Wakes the callers that wait when the server says that something changed. It never says whether that is true, and never fails.
 */
export class PushStream {
  readonly #client: JmapClient;
  readonly #clock: Clock;
  /** `changed`: a change was reported, or the stream was lost or found. */
  readonly changes = new EventEmitter<{ changed: [] }>();
  #stopping: AbortController | null = null;
  #live = false;
  #closed = false;
  #wanted = 0;

  constructor(client: JmapClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Whether the server reports changes now. */
  get isLive(): boolean {
    return this.#live;
  }

  /** Called when a caller waits for changes: the stream is open from now on, and for a while after the last caller. */
  want(): void {
    this.#wanted = this.#clock.monotonic();
    if (this.#stopping !== null || this.#closed) return;
    this.#stopping = new AbortController();
    void this.#run(this.#stopping.signal);
    void this.#endUnwanted(this.#stopping);
  }

  close(): void {
    this.#closed = true;
    this.#stopping?.abort();
  }

  async #endUnwanted(stopping: AbortController): Promise<void> {
    while (!stopping.signal.aborted) {
      const left = this.#wanted + longestUnwanted - this.#clock.monotonic();
      if (left <= 0) stopping.abort();
      else await this.#clock.sleep(left, stopping.signal);
    }
    if (this.#stopping === stopping) this.#stopping = null;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const end = await this.#listen(signal).catch(() => 'lost' as const);
      this.#set(false);
      await this.#clock.sleep(end === 'none' ? afterRefusal : afterLoss, signal);
    }
  }

  async #listen(signal: AbortSignal): Promise<'lost' | 'none'> {
    const silent = new AbortController();
    const stream = await this.#client.events(pingSeconds, AbortSignal.any([signal, silent.signal]));
    if (stream === null) return 'none';
    this.#set(true);
    let heard = new AbortController();
    const wait = (): void => {
      heard.abort();
      heard = new AbortController();
      const { signal: spoken } = heard;
      void this.#clock.sleep(longestSilence, spoken).then(() => {
        if (!spoken.aborted) silent.abort();
      });
    };
    try {
      wait();
      const events = stream.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
      for await (const { event } of events) {
        wait();
        if (event === 'state') this.#report();
      }
      return 'lost';
    } finally {
      heard.abort();
    }
  }

  #set(isLive: boolean): void {
    if (this.#live === isLive) return;
    this.#live = isLive;
    this.#report();
  }

  #report(): void {
    this.changes.emit('changed');
  }
}
