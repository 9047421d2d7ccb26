import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type SessionPaths, sessionPaths } from '../../../src/session/session-paths.js';
import type { TestSession } from '../../support/test-session.js';

/** A folder that is a small disk of its own, in a mount namespace that needs no root. */
export interface SmallDisk {
  /** Starts a program inside. */
  readonly through: readonly string[];
  /** The folder as it is seen from here. */
  readonly seen: string;
  run(...command: string[]): void;
  /** Leaves no more room than this. */
  fill(leaveKibibytes?: number): void;
  makeRoom(): void;
  remove(): void;
}

/** A session whose root is such a disk. */
export interface OwnDisk extends Omit<SmallDisk, 'seen'> {
  /** The session as it is seen from here. */
  readonly paths: SessionPaths;
}

/** @throws Error in words where this machine does not let anybody mount in a namespace of his own. */
export async function ownDisk(session: TestSession, megabytes: number): Promise<OwnDisk> {
  const { seen, ...disk } = await smallDisk(session.paths.root, megabytes);
  return { ...disk, paths: sessionPaths(seen) };
}

/** @throws Error in words where this machine does not let anybody mount in a namespace of his own. */
export async function smallDisk(root: string, megabytes: number): Promise<SmallDisk> {
  const inside = `cp -a "$1" "$1.aside" && mount -t tmpfs -o size=${megabytes}m,mode=700 none "$1" \
    && cp -a "$1.aside/." "$1" && echo mounted && exec cat`;
  const holder = spawn('unshare', ['--map-root-user', '--mount', 'sh', '-c', inside, 'sh', root], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  await mounted(holder);
  const through = ['nsenter', '--target', String(holder.pid), '--user', '--preserve-credentials', '--mount'];
  const run = (...command: string[]): void => {
    execFileSync(through[0] ?? '', [...through.slice(1), ...command], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  };
  const ballast = join(root, 'ballast');
  return {
    through,
    seen: `/proc/${holder.pid}/root${root}`,
    run,
    fill: (leaveKibibytes = 0) => {
      run('sh', '-c', `cat /dev/zero > "${ballast}" 2>/dev/null || true`);
      if (leaveKibibytes > 0) run('truncate', '-s', `-${leaveKibibytes}K`, ballast);
    },
    makeRoom: () => run('rm', '-f', ballast),
    remove: () => holder.stdin.end(),
  };
}

async function mounted(holder: ChildProcess): Promise<void> {
  let said = '';
  holder.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [first] = (await Promise.race([once(holder.stdout ?? holder, 'data'), once(holder, 'close')])) as [
    unknown,
  ];
  if (String(first).trim() !== 'mounted')
    throw new Error(`This machine must allow mounts in a user namespace for this test: ${said}`);
}
