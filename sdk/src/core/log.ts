import type { Route } from './operation.js';

/** How much is told: nothing; calls that failed; also refusals and repeated tries; also each call; also each try. */
export type LogLevel = 'off' | 'error' | 'warn' | 'info' | 'debug';

export const levels: readonly LogLevel[] = ['off', 'error', 'warn', 'info', 'debug'];

/** What a line of the log is about: never a body, a header, a query or the detail of an error, as those may hold prompts. */
export interface LogEntry {
  readonly level: Exclude<LogLevel, 'off'>;
  readonly at: Date;
  /** What happened, in words: everything below. */
  readonly message: string;
  readonly baseUrl: string;
  /** Null where the path is not one of the contract. */
  readonly operationId: string | null;
  readonly method: Route['method'];
  /** As the contract has it, with the names of its parameters: `/v1/requests/{request_id}`. */
  readonly path: string;
  /** Which try of the call, from 1. */
  readonly tries: number;
  /** Milliseconds of the try, or of all of them at the end of a call. */
  readonly durationMs: number;
  /** Null without an answer. */
  readonly status: number | null;
  /** Why there was no good answer; null after one. */
  readonly errorCode: string | null;
  /** The answer's `X-Request-Id`. */
  readonly httpRequestId: string | null;
}

export type LogSink = (entry: LogEntry) => void;

/** What is logged, and where to: a level alone, or with a sink of your own. */
export type LogOption =
  | LogLevel
  | { readonly level?: LogLevel | undefined; readonly sink?: LogSink | undefined };

/** Where lines go without a sink, and the level that the surroundings ask for. */
export interface LogSurroundings {
  /** The level without an option. */
  readonly level: () => LogLevel;
  readonly print: (level: LogEntry['level'], line: string) => void;
}

type Told = Omit<LogEntry, 'at' | 'message' | 'baseUrl'> & { readonly what: string };
export type Log = (entry: Told) => void;

/** The log of one client; a TypeError for an option that cannot be meant. */
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
      // What a call did must not depend on who listens.
      print('error', `houmao: the sink of the log failed: ${error}`);
    }
  };
}

export const isLevel = (word: unknown): word is LogLevel => levels.includes(word as LogLevel);

const printed =
  (print: LogSurroundings['print']): LogSink =>
  ({ level, at, baseUrl, message }) =>
    print(level, `houmao ${at.toISOString()} ${level} ${baseUrl} ${message}`);
