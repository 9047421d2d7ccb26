import { once } from 'node:events';
import { Type } from '@sinclair/typebox';
import type { Clock } from '../../foundation/clock.js';
import type { JmapClient } from './client/jmap-client.js';
import type { MethodCall } from './client/method-calls.js';
import type { PushStream } from './push-stream.js';

const StateSchema = Type.Object({ state: Type.String() });
const look: MethodCall = ['Email/get', { ids: [] }, 'state'];

/** Milliseconds between two questions of one wait: where the server tells nothing by itself, and where it does. */
const pollMilliseconds = 1000;
const pushedMilliseconds = 30_000;

/**
 * Notices that mail has changed. A push says when to ask, the state of the account what is true: so a push that was lost, one
 * too many, and a server that knows the old state no more make no difference.
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

  /** The first call returns at once: what came before it is not known. @returns whether it may have changed. */
  async change(enough: AbortSignal, longest: number): Promise<boolean> {
    const until = this.#clock.monotonic() + longest;
    this.#push.want();
    for (;;) {
      const done = new AbortController();
      // Listened for before the look: a change that is told meanwhile wakes, too.
      const told = once(this.#push.changes, 'told', { signal: done.signal }).catch(() => undefined);
      try {
        if (await this.#isNew(enough)) return true;
        const left = until - this.#clock.monotonic();
        if (enough.aborted || left <= 0) return false;
        const pause = Math.min(left, this.#push.isLive ? pushedMilliseconds : pollMilliseconds);
        await Promise.race([told, this.#clock.sleep(pause, AbortSignal.any([enough, done.signal]))]);
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
    const answers = await this.#client.call('look', [look], enough).catch((error) => {
      if (enough.aborted) return null;
      throw error;
    });
    if (answers === null) return false;
    const { state } = answers.of(look, StateSchema);
    const isNew = state !== this.#state;
    this.#state = state;
    return isNew;
  }
}
