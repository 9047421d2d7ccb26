import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Waiters } from '../../../src/foundation/concurrency.js';

const none = new AbortController().signal;

/** Whether a promise has settled once everything that was due has run. */
async function settled(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  void promise.then(() => {
    done = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return done;
}

describe('waiting for the end of a request', () => {
  it('wakes all that wait for this key, and no others', async () => {
    const waiters = new Waiters();
    const [one, two, other] = ['a', 'a', 'b'].map((id) => waiters.wait(id, 60_000, none));
    waiters.wake('a');
    expect(await settled(one!)).toBe(true);
    expect(await settled(two!)).toBe(true);
    expect(await settled(other!)).toBe(false);
    waiters.releaseAll();
    expect(await settled(other!)).toBe(true);
  });

  it('ends by itself after its time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const waiters = new Waiters();
    const waiting = waiters.wait('a', 30, none);
    vi.advanceTimersByTime(29);
    expect([await settled(waiting), waiters.count]).toEqual([false, 1]);
    vi.advanceTimersByTime(1);
    expect([await settled(waiting), waiters.count]).toEqual([true, 0]);
  });

  it('ends when the caller goes away, before or while it waits', async () => {
    const waiters = new Waiters();
    const caller = new AbortController();
    const waiting = waiters.wait('a', 60_000, caller.signal);
    expect(await settled(waiting)).toBe(false);
    caller.abort();
    expect(await settled(waiting)).toBe(true);
    expect(await settled(waiters.wait('a', 60_000, caller.signal))).toBe(true);
  });

  it('does not let one waiter that leaves take the others along', async () => {
    const waiters = new Waiters();
    const caller = new AbortController();
    const gone = waiters.wait('a', 60_000, caller.signal);
    const stays = waiters.wait('a', 60_000, none);
    caller.abort();
    expect(await settled(gone)).toBe(true);
    expect(await settled(stays)).toBe(false);
    waiters.wake('a');
    expect(await settled(stays)).toBe(true);
  });
});
