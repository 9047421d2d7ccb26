import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { whenOver } from './temporary-folder.js';

/** A program that says on standard output how far it is. */
export interface TalkingProgram {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Resolves with what was said so far once it holds what is looked for; rejects when the program ends without it. */
  saying(pattern: RegExp): Promise<string>;
  /** Its exit code, once all of its output is here. */
  readonly ended: Promise<number | null>;
}

/** Runs a program of this project with Node; one that a test leaves running is asked to stop. */
export function startTalking(
  file: string,
  environment: NodeJS.ProcessEnv,
  args: readonly string[] = [],
): TalkingProgram {
  const child = spawn(process.execPath, [file, ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const looks = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const look of looks) look();
    });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  whenOver(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const saying = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => pattern.test(output) && resolve(output);
      looks.add(look);
      void ended.then(() => reject(new Error(`it ended without ${pattern}: ${output}`)));
      look();
    });
  return { child, output: () => output, saying, ended };
}
