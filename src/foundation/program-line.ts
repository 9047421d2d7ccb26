import { type Clock, toSecondStamp } from './clock.js';
import { sanitiseLine } from './text.js';

/**
 * Formats a program's message for its standard error, which may end up in `gateway.log`, as a line of that log: a time, then the
 * whole text on one line, also a stack.
 */
export const programLine = (program: string, text: string, clock: Pick<Clock, 'now'>): string =>
  `${toSecondStamp(clock.now())} ${program}: ${sanitiseLine(text)}`;

/** Removes the time from such a line. */
export const withoutTime = (line: string): string => line.replace(/^\d{4}-\d\d-\d\dT\S+ /, '');

/** Removes the time and the program from such a line, and makes a sentence of the rest, for the program that started that one. */
export function wordsOfLine(line: string): string {
  const words = withoutTime(line).replace(/^houmao-[a-z]+: /, '');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/**
 * Makes this process write its warnings, and the uncaught error that ends it (exit code 1), as lines with a time. Node's own
 * messages would stand in the log without one, a stack over many lines. V8's message when memory is exhausted stays as it is.
 */
export function endOnFault(program: string, clock: Clock): void {
  const say = (error: unknown): void =>
    console.error(
      programLine(program, error instanceof Error ? (error.stack ?? error.message) : String(error), clock),
    );
  // Node prints warnings with a listener of this event, too.
  process.removeAllListeners('warning').on('warning', say);
  process.on('uncaughtException', (error) => {
    say(error);
    process.exit(1);
  });
}
