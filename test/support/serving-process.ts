import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A program of ours that serves. */
export interface ServingProcess {
  readonly url: string;
  readonly port: number;
  readonly child: ChildProcess;
  readonly stderr: () => string;
  /** Ends it with SIGTERM and waits; the exit code. */
  stop(): Promise<number | null>;
  /** Ends it with SIGKILL and waits. */
  kill(): Promise<void>;
}

const running = new Set<ChildProcess>();

/** Ends the programs that still run. @returns their pids. */
export async function endLeftPrograms(): Promise<(number | undefined)[]> {
  const left = [...running];
  for (const child of left) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    // One that was stopped takes no other signal.
    child.kill('SIGCONT');
    await ended;
  }
  return left.map(({ pid }) => pid);
}

/** Starts a program and waits until it says where it listens. @param command with its arguments. */
export async function startServing(
  command: readonly string[],
  options: { environment: NodeJS.ProcessEnv; detached?: boolean },
): Promise<ServingProcess> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    env: options.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: options.detached ?? false,
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'exit');
  const port = await announcedPort(child, () => stderr);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    child,
    stderr: () => stderr,
    stop: async () => {
      child.kill('SIGTERM');
      const [code] = (await ended) as [number | null];
      return code;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function announcedPort(child: ChildProcess, stderr: () => string): Promise<number> {
  return new Promise((resolve, reject) => {
    let stdout = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      const port = /http:\/\/127\.0\.0\.1:(\d+) /.exec(stdout)?.[1];
      if (port) resolve(Number(port));
    });
    child.once('exit', (code) => reject(new Error(`the program exited with ${code}: ${stderr()}`)));
    child.once('error', reject);
  });
}
