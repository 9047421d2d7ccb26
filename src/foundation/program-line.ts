import type { Clock } from './clock.js';
import { sanitiseLine } from './text.js';
import { toSecondStamp } from './timestamps.js';

/**
 * What a program says on its standard error, as a line of `gateway.log`, where it may end up: a time, and one line for all of it, a
 * stack too.
 */
export const programLine = (program: string, text: string, clock: Pick<Clock, 'now'>): string =>
  `${toSecondStamp(clock.now())} ${program}: ${sanitiseLine(text)}`;

/** Such a line without its time. */
export const withoutTime = (line: string): string => line.replace(/^\d{4}-\d\d-\d\dT\S+ /, '');

/** Such a line without its program, too, as a sentence of another program that started that one. */
export function wordsOfLine(line: string): string {
  const words = withoutTime(line).replace(/^houmao-[a-z]+: /, '');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/**
 * Has this process write its warnings, and the error that nobody caught and that ends it (exit code 1), as lines with a time. Node's
 * own would stand in the log without one, a stack over many lines. What V8 writes when memory is out stays as it is.
 */
export function endOnFault(program: string, clock: Clock): void {
  const say = (error: unknown): void =>
    console.error(
      programLine(program, error instanceof Error ? (error.stack ?? error.message) : String(error), clock),
    );
  // Node's own printing of warnings is such a listener.
  process.removeAllListeners('warning').on('warning', say);
  process.on('uncaughtException', (error) => {
    say(error);
    process.exit(1);
  });
}
