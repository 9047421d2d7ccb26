import { describe, expect, it } from 'vitest';
import { Finals } from '../../../src/gateway/requests/finals.js';

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
  it('wakes everybody who waits for this one, and nobody else', async () => {
    const finals = new Finals();
    const [one, two, other] = ['a', 'a', 'b'].map((id) => finals.wait(id, 60_000, none));
    finals.reached('a');
    expect(await settled(one!)).toBe(true);
    expect(await settled(two!)).toBe(true);
    expect(await settled(other!)).toBe(false);
    finals.releaseAll();
    expect(await settled(other!)).toBe(true);
  });

  it('ends by itself after its time', async () => {
    const begin = performance.now();
    await new Finals().wait('a', 30, none);
    expect(performance.now() - begin).toBeGreaterThanOrEqual(25);
  });

  it('ends when the caller goes away, before or while it waits', async () => {
    const finals = new Finals();
    const caller = new AbortController();
    const waiting = finals.wait('a', 60_000, caller.signal);
    expect(await settled(waiting)).toBe(false);
    caller.abort();
    expect(await settled(waiting)).toBe(true);
    expect(await settled(finals.wait('a', 60_000, caller.signal))).toBe(true);
  });

  it('does not let one waiter that leaves take the others along', async () => {
    const finals = new Finals();
    const caller = new AbortController();
    const gone = finals.wait('a', 60_000, caller.signal);
    const stays = finals.wait('a', 60_000, none);
    caller.abort();
    expect(await settled(gone)).toBe(true);
    expect(await settled(stays)).toBe(false);
    finals.reached('a');
    expect(await settled(stays)).toBe(true);
  });
});
