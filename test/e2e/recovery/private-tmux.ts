import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A tmux server of this test file alone: its socket is in a folder of its own, named in this process's environment. */
export function usePrivateTmux(): { run(...args: string[]): string; remove(): void } {
  // Short: a socket path has at most 107 characters.
  const folder = mkdtempSync(join(tmpdir(), 'htmux-'));
  // Other files may share this process.
  const { TMUX_TMPDIR, SHELL, TMUX } = process.env;
  process.env.TMUX_TMPDIR = folder;
  // A window runs a shell, which would read the start-up files of the user who runs the tests: these may work for a while.
  process.env.SHELL = '/bin/sh';
  delete process.env.TMUX;
  const run = (...args: string[]): string =>
    execFileSync('tmux', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  return {
    run,
    remove() {
      try {
        run('kill-server');
      } catch {
        // No session was left, so tmux has ended by itself.
      }
      for (const [name, value] of Object.entries({ TMUX_TMPDIR, SHELL, TMUX }))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
