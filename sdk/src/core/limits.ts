import type { CallLimits } from './operation.js';

/** Why work was stopped from this side. */
export type Stop =
  | { readonly kind: 'timeout'; readonly reason?: undefined }
  | { readonly kind: 'aborted'; readonly reason: unknown };

/** Timers that are set for longer fire at once. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Runs `work` with a signal that fires when the time is over or the caller's signal fires, and rejects with
 * `explain(stop, error)` when that is why it failed; `error` is what the work rejected with, undefined when it did not
 * begin. Leaves neither timer nor listener behind: a caller's signal may live as long as its program.
 */
export async function withinLimits<T>(
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
  explain: (stop: Stop, error?: unknown) => Error,
): Promise<T> {
  if (signal?.aborted) throw explain({ kind: 'aborted', reason: signal.reason });
  const controller = new AbortController();
  let stopped: Stop | undefined;
  const stop = (why: Stop) => {
    stopped ??= why;
    controller.abort();
  };
  const onAbort = () => stop({ kind: 'aborted', reason: signal?.reason });
  const timer = timeoutMs > maxTimerMs ? undefined : setTimeout(() => stop({ kind: 'timeout' }), timeoutMs);
  signal?.addEventListener('abort', onAbort);
  try {
    return await work(controller.signal);
  } catch (error) {
    throw stopped ? explain(stopped, error) : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** The work, or a rejection with the signal's reason as soon as that fires: for work that may not listen to it. */
export function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** The limit as given, or the one it overrides; a RangeError for an impossible one. */
export const timeoutOf = (limits: Pick<CallLimits, 'timeoutMs'>, otherwise: number): number =>
  positive('timeoutMs', limits.timeoutMs ?? otherwise);

/** A number of milliseconds; a RangeError that names it for an impossible one. */
export function positive(name: string, milliseconds: number): number {
  if (milliseconds > 0) return milliseconds;
  throw new RangeError(`${name} must be a positive number of milliseconds, not ${milliseconds}`);
}

/** A limit as people read it: seconds from one second on. */
export const limitWords = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`);

/** Resolves after that time, or rejects with the signal's reason. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return unlessStopped(over, signal).finally(() => clearTimeout(timer));
}
