import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { hasSurelyEnded, identify, isPidUnused, startTimeOf } from '../../../src/foundation/processes.js';
import { needsRoot } from '../../support/run/needs.js';

test('one that runs has not ended, one that was replaced under its pid has', () => {
  const own = identify(process.pid)!;
  expect([hasSurelyEnded(own), hasSurelyEnded({ ...own, startedAt: 'once' })]).toEqual([false, true]);
  expect(isPidUnused(process.pid)).toBe(false);
});

test('a pid is nobody’s once its process has ended, also while its parent has not noticed', async () => {
  const child = spawn('true');
  const { pid = 0 } = child;
  await expect.poll(() => startTimeOf(pid)).toBeNull();
  expect([isPidUnused(pid), hasSurelyEnded({ pid, startedAt: '1' })]).toEqual([true, true]);
  if (child.exitCode === null) await once(child, 'exit');
  expect(isPidUnused(pid)).toBe(true);
});

test('one that the system hides has not surely ended', needsRoot, () => {
  const module = new URL('../../../dist/src/foundation/processes.js', import.meta.url).href;
  const script = `
    const { hasSurelyEnded, startTimeOf } = await import(${JSON.stringify(module)});
    process.setgroups([]);
    process.setgid(65534);
    process.setuid(65534);
    const seen = { pid: ${process.pid}, startedAt: '1' };
    console.log(JSON.stringify([startTimeOf(seen.pid), hasSurelyEnded(seen), hasSurelyEnded({ ...seen, pid: 4194303 })]));`;
  const inside = 'mount -t proc -o hidepid=2 proc /proc && exec "$1" --input-type=module -e "$2"';
  const said = execFileSync('unshare', ['--mount', 'sh', '-c', inside, 'sh', process.execPath, script], {
    encoding: 'utf8',
  });
  expect(JSON.parse(said)).toEqual([null, false, true]);
});
