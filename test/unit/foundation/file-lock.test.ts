import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { exclusively } from '../../../src/foundation/file-lock.js';
import { identify } from '../../../src/foundation/process-identity.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const module = new URL('../../../dist/src/foundation/file-lock.js', import.meta.url).href;
const root = fileURLToPath(new URL('../../..', import.meta.url));

test('gives what the work gives, and leaves nothing behind, also when it fails', () => {
  const own = mkdtempSync(join(folder, 'own-'));
  const lock = join(own, 'a.lock');
  expect(exclusively(lock, () => existsSync(lock))).toBe(true);
  expect(() =>
    exclusively(lock, () => {
      throw new Error('of the work');
    }),
  ).toThrow('of the work');
  expect(readdirSync(own)).toEqual([]);
});

test('four processes that count in one file miss nothing', async () => {
  const counter = join(folder, 'counter');
  writeFileSync(counter, '0');
  const script = `
    import { readFileSync, writeFileSync } from 'node:fs';
    import { exclusively } from ${JSON.stringify(module)};
    const path = ${JSON.stringify(counter)};
    for (let n = 0; n < 200; n += 1)
      exclusively(path + '.lock', () => writeFileSync(path, String(Number(readFileSync(path, 'utf8')) + 1)));`;
  const ended = await Promise.all(
    [1, 2, 3, 4].map(() =>
      once(
        spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: root, stdio: 'inherit' }),
        'exit',
      ),
    ),
  );
  expect(ended.map(([code]) => code)).toEqual([0, 0, 0, 0]);
  expect(readFileSync(counter, 'utf8')).toBe('800');
});

test('a lock whose holder was killed is taken over; one whose holder lives, or is not known, is not', async () => {
  const lock = join(folder, 'held.lock');
  const holder = spawn('sleep', ['60']);
  await once(holder, 'spawn');
  writeFileSync(lock, JSON.stringify(identify(holder.pid ?? 0)));
  expect(() => exclusively(lock, () => 'mine')).toThrow(new RegExp(`held.lock is held by .*${holder.pid}`));
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  expect(exclusively(lock, () => 'mine')).toBe('mine');
  writeFileSync(lock, 'a note of somebody');
  expect(() => exclusively(lock, () => 'mine')).toThrow('held by a note of somebody');
  expect(readFileSync(lock, 'utf8')).toBe('a note of somebody');
});
