import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const program = fileURLToPath(new URL('./connection-owner.mjs', import.meta.url));

/** A process that holds a connection to a tmux session (connection-owner.mjs), until the test has finished. */
export interface ConnectionOwner {
  /** The pid of the connection's program. */
  readonly clientPid: number;
  /** The value of a format of tmux, asked over the connection. */
  ask(format: string): Promise<string>;
  /** Ends the process with SIGKILL and waits. */
  kill(): Promise<void>;
}

export async function startConnectionOwner(socketPath: string, session: string): Promise<ConnectionOwner> {
  const child = fork(program, [socketPath, session], { env: { PATH: process.env.PATH } });
  const exited = once(child, 'exit');
  const heard = async (): Promise<string> => {
    const gone = exited.then(() => Promise.reject(new Error('the owner of the connection has ended')));
    const [said] = (await Promise.race([once(child, 'message'), gone])) as [string];
    return said;
  };
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(async () => {
    // Killed it would leave its connection.
    if (child.connected) child.disconnect();
    await exited;
  });
  return {
    clientPid: Number(await heard()),
    ask: (format) => {
      child.send(format);
      return heard();
    },
    kill,
  };
}
