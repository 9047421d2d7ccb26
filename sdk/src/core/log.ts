import type { Route } from './operation.js';

/**
 * The amount that is logged: nothing (`off`); calls that failed (`error`); also refusals and repeated tries (`warn`); also each
 * call (`info`); also each try (`debug`).
 */
export type LogLevel = 'off' | 'error' | 'warn' | 'info' | 'debug';

export const levels: readonly LogLevel[] = ['off', 'error', 'warn', 'info', 'debug'];

/** An entry of the log. It never contains a body, a header, a query or the detail of an error, because those may hold prompts. */
export interface LogEntry {
  readonly level: Exclude<LogLevel, 'off'>;
  readonly at: Date;
  /** A text with all fields below. */
  readonly message: string;
  readonly baseUrl: string;
  /** Null when the path is not one of the contract. */
  readonly operationId: string | null;
  readonly method: Route['method'];
  /** The path in the contract, with the names of its parameters: `/v1/requests/{request_id}`. */
  readonly path: string;
  /** The number of the try within the call, from 1. */
  readonly tries: number;
  /** The milliseconds of the try, or of all tries at the end of a call. */
  readonly durationMs: number;
  /** Null without an answer. */
  readonly status: number | null;
  /** The reason why there was no success; null after one. */
  readonly errorCode: string | null;
  /** The answer's `X-Request-Id`. */
  readonly httpRequestId: string | null;
}

export type LogSink = (entry: LogEntry) => void;

/** The level of the log: alone, or with a sink of your own. */
export type LogOption =
  | LogLevel
  | { readonly level?: LogLevel | undefined; readonly sink?: LogSink | undefined };

/** The log of the environment: its printer for clients without a sink, and its level. */
export interface LogSurroundings {
  /** The level without an option. */
  readonly level: () => LogLevel;
  readonly print: (level: LogEntry['level'], line: string) => void;
}

type CallEntry = Omit<LogEntry, 'at' | 'message' | 'baseUrl'> & { readonly what: string };
export type Log = (entry: CallEntry) => void;

/** Makes the log of one client. Throws a TypeError for an option that is not a level. */
export function createLog(
  option: LogOption | undefined,
  { level, print }: LogSurroundings,
  baseUrl: string,
): Log {
  const { level: given, sink = printed(print) } =
    typeof option === 'string' ? { level: option } : (option ?? {});
  if (given !== undefined && !isLevel(given))
    throw new TypeError(`log must be ${levels.join(', ')}, such as log: 'debug'`);
  const loudest = levels.indexOf(given ?? level());
  return ({ what, ...entry }) => {
    if (levels.indexOf(entry.level) > loudest) return;
    const { operationId, method, path, tries, durationMs, httpRequestId } = entry;
    const id = httpRequestId === null ? '' : ` (${httpRequestId})`;
    const message = `${operationId ?? 'call'} ${method} ${path}: ${what}, try ${tries}, ${Math.round(durationMs)} ms${id}`;
    try {
      sink({ ...entry, at: new Date(), message, baseUrl });
    } catch (error) {
      // The result of a call must not depend on the sink of the log.
      print('error', `houmao: the sink of the log failed: ${error}`);
    }
  };
}

export const isLevel = (word: unknown): word is LogLevel => levels.includes(word as LogLevel);

const printed =
  (print: LogSurroundings['print']): LogSink =>
  ({ level, at, baseUrl, message }) =>
    print(level, `houmao ${at.toISOString()} ${level} ${baseUrl} ${message}`);
