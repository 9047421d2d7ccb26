import type { CallLimits } from './operation.js';

/** The reason why work was stopped from this side. */
export type Stop =
  | { readonly kind: 'timeout'; readonly reason?: undefined }
  | { readonly kind: 'aborted'; readonly reason: unknown };

/** The longest delay of a timer: a longer one fires at once. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Runs `work` with a signal that fires after `timeoutMs` or when the caller's signal fires. If that made the work fail, rejects
 * with `explain(stop, error)`; `error` is the rejection of the work, undefined when it did not begin. Leaves no timer or
 * listener behind: a caller's signal may live as long as its program.
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

/**
 * Resolves as the work does, or rejects with the signal's reason as soon as the signal fires: for work that may ignore the
 * signal.
 */
export function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Returns the given limit, or `otherwise`; a RangeError for an impossible one. */
export const timeoutOf = (limits: Pick<CallLimits, 'timeoutMs'>, otherwise: number): number =>
  positive('timeoutMs', limits.timeoutMs ?? otherwise);

/** Returns a number of milliseconds; throws a RangeError with its name for an impossible one. */
export function positive(name: string, milliseconds: number): number {
  if (milliseconds > 0) return milliseconds;
  throw new RangeError(`${name} must be a positive number of milliseconds, not ${milliseconds}`);
}

/** Prints a limit for people: in seconds from one second on. */
export const limitWords = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`);

/** Resolves after `ms` milliseconds, or rejects with the signal's reason. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return unlessStopped(over, signal).finally(() => clearTimeout(timer));
}
