import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { identify, isAlive, linuxProcessStat } from '../../../src/foundation/processes.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();

test('a process whose name looks like further fields is read rightly', async () => {
  const odd = join(folder, 'x) Z 1 (');
  copyFileSync('/bin/sleep', odd);
  const child = spawn(odd, ['60'], { detached: true, stdio: 'ignore' });
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  expect(linuxProcessStat(pid)?.group).toBe(pid);
  expect(linuxProcessStat(pid)?.parent).toBe(process.pid);
  const identity = identify(pid);
  expect(identity?.startedAt).toBe(linuxProcessStat(pid)?.startTicks);
  expect(identity && isAlive(identity)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(linuxProcessStat(pid)).toBeNull();
  expect(identity && isAlive(identity)).toBe(false);
});

test('a process that has ended and was not buried is gone', async () => {
  // The shell becomes a sleep, which never asks after the child that the shell left it; only then does that child end.
  const parent = spawn('sh', ['-c', 'cat <&3 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
  });
  const [line] = (await once(parent.stdout as Readable, 'data')) as [Buffer];
  const zombie = Number(line.toString());
  await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n');
  (parent.stdio[3] as Writable).end();
  await expect.poll(() => linuxProcessStat(zombie)).toBeNull();
  expect(() => process.kill(zombie, 0)).not.toThrow();
  parent.kill('SIGKILL');
});

test('a pid that nobody has', () => {
  expect(linuxProcessStat(2 ** 30)).toBeNull();
  expect(identify(2 ** 30)).toBeNull();
});
