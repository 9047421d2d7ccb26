import type { Call } from '../connection.js';
import type { LogEntry } from '../log.js';

/** The result of a try or a call, as far as the log may contain it. */
export type Outcome = Pick<LogEntry, 'status' | 'errorCode' | 'httpRequestId'>;

/** The number of tries, and their duration. */
export type Effort = Pick<LogEntry, 'tries' | 'durationMs'>;

export function outcomeOf({ ok, status, headers }: Response): Outcome {
  const errorCode = ok ? null : (headers.get('X-Houmao-Error-Code') ?? `http_${status}`);
  return { status, errorCode, httpRequestId: headers.get('X-Request-Id') };
}

const words = ({ status, errorCode }: Outcome): string =>
  [status, errorCode].filter((part) => part !== null).join(' ');

const entry = (
  level: LogEntry['level'],
  what: string,
  { operationId, method, path }: Call,
  outcome: Outcome,
  effort: Effort,
) => ({ level, what, operationId, method, path, ...outcome, ...effort });

export const tryEntry = (call: Call, outcome: Outcome, effort: Effort) =>
  entry('debug', words(outcome), call, outcome, effort);

export const repeatEntry = (call: Call, outcome: Outcome, effort: Effort, pauseMs: number) =>
  entry('warn', `${words(outcome)}, again in ${Math.round(pauseMs)} ms`, call, outcome, effort);

/** Returns the entry for the end of a call. An abort by the caller is no failure, and a refusal concerns only the request. */
export function endEntry(call: Call, outcome: Outcome, effort: Effort) {
  const { status, errorCode } = outcome;
  const isFine = errorCode === null || errorCode === 'aborted';
  const level = isFine ? 'info' : status && status < 500 ? 'warn' : 'error';
  return entry(level, `${isFine ? 'ended' : 'failed'} with ${words(outcome)}`, call, outcome, effort);
}
