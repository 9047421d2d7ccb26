import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { exclusively } from '../../src/foundation/file-lock.js';
import { identify, isAlive, type ProcessIdentity } from '../../src/foundation/processes.js';
import { apartPath } from '../../src/terminal/attach-apart.js';
import { processTree } from '../../src/terminal/process-tree.js';
import { Tmux } from '../../src/terminal/tmux.js';
import { belongsTo } from './run/leftovers.js';

const patienceMs = 20_000;
const lookMs = 20;

/** A tmux server of one test file, on a socket in a folder of its own; nothing in this process's environment says so. */
export interface OwnTmux {
  tmux: Tmux;
  socketPath: string;
  /** The output of `tmux <args>`, asked of that server past {@link Tmux}. */
  run(...args: string[]): string;
  /** Ends each window whose program has to do with the folder, and waits until it has ended: it writes there until then. */
  endWithin(folder: string): Promise<void>;
}

/** @param more variables of the tmux programs. The server ends after the tests of the file. */
export function ownTmux(more: NodeJS.ProcessEnv = {}): OwnTmux {
  // Short: a socket path has at most 107 characters.
  const folder = mkdtempSync(join(tmpdir(), 'htmux-'));
  // A window runs a login shell. It reads no start-up files of the user who runs the tests: these may work for a while.
  const environment = { PATH: process.env.PATH, SHELL: '/bin/sh', HOME: folder, ...more };
  const socketPath = join(folder, 's');
  const ask = (...args: string[]): string =>
    execFileSync('tmux', ['-S', socketPath, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  // As our programs do: no session comes or goes while one of them connects (src/terminal/attach-apart.ts).
  const lock = apartPath({ environment, socketPath });
  const run = (...args: string[]): string => {
    for (let tries = 1; ; tries += 1) {
      let isBegun = false;
      try {
        return exclusively(lock, () => {
          isBegun = true;
          return ask(...args);
        });
      } catch (error) {
        if (isBegun) throw error;
        // Not for this process itself: it goes on when this is done.
        const isOwn = String(error).includes(`"pid":${process.pid},`);
        if (isOwn || tries === 10) return ask(...args);
      }
    }
  };
  const panes = () => {
    try {
      const rows = run('list-panes', '-a', '-F', '#{pane_id} #{pane_pid}').trimEnd().split('\n');
      return rows
        .map((row) => row.split(' '))
        .map(([id = '', pid]) => ({ id, programs: programsOf(Number(pid)) }));
    } catch {
      // No session is left, so tmux has ended by itself.
      return [];
    }
  };
  const end = (): ProcessIdentity | null => {
    try {
      const server = identify(Number(run('display-message', '-p', '#{pid}')));
      run('kill-server');
      return server;
    } catch {
      return null;
    }
  };
  const endWithin = async (of: string): Promise<void> => {
    for (const { id, programs } of panes()) {
      if (!programs.some(({ pid }) => belongsTo(pid, of))) continue;
      run('kill-pane', '-t', id);
      await haveEnded(programs);
    }
  };
  afterAll(async () => {
    const programs = panes().flatMap((pane) => pane.programs);
    const server = end();
    await haveEnded(server ? [server, ...programs] : programs);
    rmSync(folder, { recursive: true, force: true });
  });
  return { tmux: new Tmux({ environment, socketPath }), socketPath, run, endWithin };
}

const programsOf = (pid: number): ProcessIdentity[] =>
  processTree(pid).flatMap((process) => identify(process.pid) ?? []);

/** A server takes leave of each client before it ends, and of one that nobody reads from never. */
async function haveEnded(processes: readonly ProcessIdentity[]): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const alive = processes.find(isAlive);
    if (alive === undefined) return;
    if (Date.now() > deadline) throw new Error(`process ${alive.pid} of a tmux server does not end with it`);
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}
