import type { Clock } from './clock.js';
import { programLine } from './program-line.js';

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
