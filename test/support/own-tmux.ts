import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { identify, isAlive, type ProcessIdentity } from '../../src/foundation/process-identity.js';
import { Tmux } from '../../src/terminal/tmux.js';

const patienceMs = 20_000;
const lookMs = 20;

/** A tmux server of one test file, on a socket in a folder of its own; nothing in this process's environment says so. */
export interface OwnTmux {
  tmux: Tmux;
  socketPath: string;
  /** What `tmux <args>` prints, asked of that server past {@link Tmux}. */
  run(...args: string[]): string;
}

/** @param more variables of the tmux programs. The server ends after the tests of the file. */
export function ownTmux(more: NodeJS.ProcessEnv = {}): OwnTmux {
  // Short: a socket path has at most 107 characters.
  const folder = mkdtempSync(join(tmpdir(), 'htmux-'));
  // A window runs a login shell. It reads no start-up files of whoever runs the tests: these may work for a while.
  const environment = { PATH: process.env.PATH, SHELL: '/bin/sh', HOME: folder, ...more };
  const socketPath = join(folder, 's');
  const run = (...args: string[]): string =>
    execFileSync('tmux', ['-S', socketPath, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const end = (): ProcessIdentity | null => {
    try {
      const server = identify(Number(run('display-message', '-p', '#{pid}')));
      run('kill-server');
      return server;
    } catch {
      // No session was left, so tmux has ended by itself.
      return null;
    }
  };
  afterAll(async () => {
    const server = end();
    if (server) await hasEnded(server);
    rmSync(folder, { recursive: true, force: true });
  });
  return { tmux: new Tmux({ environment, socketPath }), socketPath, run };
}

/** A server takes leave of each client before it ends, and of one that nobody reads from never. */
async function hasEnded(server: ProcessIdentity): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (isAlive(server)) {
    if (Date.now() > deadline) throw new Error(`the tmux server ${server.pid} does not end`);
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}
