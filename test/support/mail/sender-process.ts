import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export interface Sending {
  from: string;
  to: readonly string[];
  count: number;
  prefix: string;
  /** Whether it does so as the older implementation does. */
  peer?: boolean;
}

export interface Sender {
  readonly process: ChildProcess;
  /** Subjects that it said are delivered. */
  readonly delivered: string[];
  begin(): void;
  /** Resolves with its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

/** Starts a process that delivers to a root on request. */
export async function startSender(root: string, { from, to, count, prefix, peer }: Sending): Promise<Sender> {
  const program = fileURLToPath(new URL(peer ? './peer-sender.mjs' : './mail-sender.mjs', import.meta.url));
  const child = fork(program, [root, from, to.join(','), String(count), prefix], { execArgv: [] });
  const ended = once(child, 'exit').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await once(child, 'message');
  const delivered: string[] = [];
  child.on('message', (message) => {
    const { delivered: subject } = message as { delivered?: string };
    if (subject !== undefined) delivered.push(subject);
  });
  return { process: child, delivered, begin: () => void child.send('begin'), ended };
}
