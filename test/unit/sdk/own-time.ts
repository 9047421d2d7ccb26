import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { onTestFinished, vi } from 'vitest';

/** The time of one test, in which the limits, pauses and silences of the SDK pass. Connections work in real time. */
export interface OwnTime {
  /** Lets so many milliseconds pass at once. */
  pass(milliseconds: number): Promise<void>;
  /** Waits for what connections bring, while no time passes. `expect.poll` would let some pass. */
  until<T>(seen: () => T, wanted: T): Promise<void>;
  /** Lets time pass until that is seen, with a moment for connections between two steps. */
  passUntil<T>(seen: () => T, wanted: T): Promise<void>;
  /** The same until a promise settles. */
  passWhile<T>(awaited: Promise<T>): Promise<T>;
}

const stepMilliseconds = 100;
/** For what connections bring, in real time. */
const patienceSeconds = 20;

/** From now on no time passes for the SDK in this test unless it says so. */
export function ownTime(): OwnTime {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const pass = async (milliseconds: number): Promise<void> => {
    await vi.advanceTimersByTimeAsync(milliseconds);
  };
  const wait = async <T>(seen: () => T, wanted: T, step: number): Promise<void> => {
    const deadline = process.uptime() + patienceSeconds;
    for (let last = seen(); !isDeepStrictEqual(last, wanted); last = seen()) {
      if (process.uptime() > deadline) throw new Error(`seen is still ${JSON.stringify(last)}`);
      if (step > 0) await pass(step);
      await sleep(5);
    }
  };
  return {
    pass,
    until: (seen, wanted) => wait(seen, wanted, 0),
    passUntil: (seen, wanted) => wait(seen, wanted, stepMilliseconds),
    passWhile: async (awaited) => {
      let isOver = false;
      const over = (): void => {
        isOver = true;
      };
      awaited.then(over, over);
      await wait(() => isOver, true, stepMilliseconds);
      return awaited;
    },
  };
}
