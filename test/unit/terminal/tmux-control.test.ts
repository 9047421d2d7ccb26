import { expect, test } from 'vitest';
import { identify, isAlive, type ProcessIdentity } from '../../../src/foundation/processes.js';
import { processTree } from '../../../src/terminal/process-tree.js';
import type { TmuxControl } from '../../../src/terminal/tmux-control.js';
import { TmuxFault } from '../../../src/terminal/tmux-fault.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const { tmux, run } = ownTmux();
let sessions = 0;

async function connected(closed: (reason: string) => void = () => undefined): Promise<TmuxControl> {
  sessions += 1;
  const session = `asked-${sessions}`;
  await tmux.newSession(session, temporaryFolder(), {});
  return tmux.control(session, { wrote: () => undefined, closed });
}

/** The programs in control mode that this process has started. */
const clients = (): ProcessIdentity[] =>
  processTree(process.pid)
    .filter(({ args }) => args.includes('-C'))
    .flatMap(({ pid }) => identify(pid) ?? []);

test('a server that does not answer is waited for five seconds, then the connection ends and leaves nothing', async () => {
  const reported: string[] = [];
  const control = await connected((reason) => reported.push(reason));
  const [client] = clients();
  const server = Number(run('display-message', '-p', '#{pid}'));
  process.kill(server, 'SIGSTOP');
  try {
    await expect(control.ask(['list-windows'])).rejects.toThrow(
      'tmux list-windows: the tmux server did not answer within 5 s',
    );
    await expect(control.ask(['list-windows'])).rejects.toThrow(TmuxFault);
    await control.close();
    expect(client && isAlive(client)).toBe(false);
    expect(reported).toEqual(['the tmux server did not answer within 5 s']);
  } finally {
    process.kill(server, 'SIGCONT');
  }
});

test('is closed also while the server does not answer', async () => {
  const control = await connected();
  const server = Number(run('display-message', '-p', '#{pid}'));
  process.kill(server, 'SIGSTOP');
  try {
    await control.close();
    expect(clients()).toEqual([]);
  } finally {
    process.kill(server, 'SIGCONT');
  }
});

test('an end of the program alone is not reported as the end of the server', async () => {
  const reported: string[] = [];
  const control = await connected((reason) => reported.push(reason));
  for (const { pid } of clients()) process.kill(pid, 'SIGKILL');
  await expect.poll(() => reported).toEqual(['the connection has ended']);
  await expect(control.ask(['list-windows'])).rejects.toThrow('the connection has ended');
});
