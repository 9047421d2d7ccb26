// Runs programs, and ends those that run when this process is asked to end.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const parentPollMilliseconds = 250;

/**
 * From now on SIGINT, SIGTERM and SIGHUP end what runs.
 * @returns `step`, which runs a program to its end and gives its exit code and what it wrote where that is piped; each piece of that
 *   goes to `heard` as it comes. Asked to end, it ends everything that the programs started, then this process. And `last`, which runs the program that everything was for: that
 *   ends in its own way, and its exit code is given (128 and the number where a signal ended it).
 */
export function programRunner() {
  const running = new Set();
  let asked = null;
  const end = (signal) => {
    asked = signal;
    if (running.size === 0) leave(signal);
    for (const one of running) one.end(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => end(signal));
  // npm and its shell die of a SIGTERM without a word to us.
  const parent = process.ppid;
  const orphaned = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(orphaned);
    end('SIGTERM');
  }, parentPollMilliseconds);
  orphaned.unref();

  const run = (program, args, options, endBy, heard = () => {}) =>
    new Promise((resolve) => {
      // In a session of its own: a Ctrl-C reaches it once, from here, and not from the terminal as well.
      const child = spawn(program, args, { ...options, detached: true });
      const output = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'])
        child[name]?.setEncoding('utf8').on('data', (text) => {
          output[name] += text;
          heard(text);
        });
      const one = { end: (signal) => child.pid !== undefined && endBy(child.pid, signal) };
      running.add(one);
      const over = (code) => {
        running.delete(one);
        resolve({ code, ...output });
      };
      child.on('error', ({ message }) => {
        output.stderr += message;
        over(127);
      });
      child.on('close', (code, signal) => over(code ?? exitCode(signal)));
    });

  return {
    step: async (program, args, options, heard) => {
      // SIGTERM: what a shell began in the background hears no SIGINT.
      const result = await run(program, args, options, (pid) => kill(-pid, 'SIGTERM'), heard);
      if (asked !== null && running.size === 0) leave(asked);
      // Others still end; this process leaves with the last of them.
      return asked === null ? result : new Promise(() => {});
    },
    // A terminal's Ctrl-C and the end of its window reach all that a program started, a SIGTERM the program alone.
    last: async (program, args, options) => {
      const to = (pid, signal) => kill(signal === 'SIGTERM' ? pid : -pid, signal);
      return (await run(program, args, options, to)).code;
    },
  };
}

const exitCode = (signal) => 128 + constants.signals[signal];
const leave = (signal) => process.exit(exitCode(signal));

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It has ended by itself.
    if (error.code !== 'ESRCH') throw error;
  }
}
