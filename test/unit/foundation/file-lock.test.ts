import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/clock.js';
import { deferred } from '../../../src/foundation/concurrency.js';
import { aloneWithin, apart, exclusively } from '../../../src/foundation/file-lock.js';
import { identify } from '../../../src/foundation/processes.js';
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

describe('work apart', () => {
  const patience = { clock: systemClock, inAll: 5000, forOne: 1000 };

  test('waits for others without blocking, and leaves nothing behind', async () => {
    const lock = join(mkdtempSync(join(folder, 'apart-')), 'a.lock');
    const order: string[] = [];
    const work = (name: string) => async () => {
      order.push(`${name} begins`);
      // Others have their turn.
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      order.push(`${name} ends`);
      if (name === 'b') throw new Error('of the work');
      return name;
    };
    const all = ['a', 'b', 'c'].map((name) => apart(lock, patience, work(name)));
    const ends = await Promise.allSettled(all);
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    for (let at = 0; at < 6; at += 2) expect(order[at + 1]).toBe(order[at]!.replace('begins', 'ends'));
    expect(readdirSync(dirname(lock))).toEqual([]);
  });

  test('is done all the same when somebody holds the lock for too long, and does not take it from him', async () => {
    const lock = join(mkdtempSync(join(folder, 'held-')), 'a.lock');
    writeFileSync(lock, JSON.stringify(identify(process.pid)));
    expect(await apart(lock, { ...patience, forOne: 20 }, async () => 'done')).toBe('done');
    expect(readdirSync(dirname(lock))).toEqual(['a.lock']);
  });

  test('waits on while the lock goes from one to another, and not for ever', async () => {
    const lock = join(mkdtempSync(join(folder, 'handed-')), 'a.lock');
    const held = (turn: number) => writeFileSync(lock, JSON.stringify({ ...identify(process.pid), turn }));
    /** @param turns after which nobody has it. @returns what was waited, and whether the lock was had then. */
    const waited = async (turns: number): Promise<[number, boolean]> => {
      let now = 0;
      const sleep = async () => {
        now += 600;
        if (now === turns * 600) rmSync(lock);
        else held(now);
      };
      const clock = { ...systemClock, monotonic: () => now, sleep };
      held(now);
      const isMine = await apart(lock, { ...patience, clock }, async () => {
        return existsSync(lock) && !readFileSync(lock, 'utf8').includes('turn');
      });
      rmSync(lock, { force: true });
      return [now, isMine];
    };
    expect(await waited(4)).toEqual([2400, true]);
    expect(await waited(100)).toEqual([5400, false]);
  });

  test('takes a lock that is let go in the moment in which it is looked at', async () => {
    const lock = join(mkdtempSync(join(folder, 'let-go-')), 'a.lock');
    // Between the try and the look at who has it: linkIfFree finds it there, and the clock is asked next.
    let looks = 0;
    const monotonic = () => {
      looks += 1;
      if (looks === 2) rmSync(lock);
      return 0;
    };
    writeFileSync(lock, JSON.stringify(identify(process.pid)));
    const clock = { ...systemClock, monotonic };
    const isMine = await apart(lock, { ...patience, clock }, async () => existsSync(lock));
    expect([isMine, looks]).toEqual([true, 2]);
  });

  test('waits for a lock that cannot be read as for anybody’s, and sleeps meanwhile', async () => {
    const lock = join(mkdtempSync(join(folder, 'unreadable-')), 'a.lock');
    mkdirSync(lock);
    let now = 0;
    const sleep = async (): Promise<void> => {
      now += 600;
    };
    const clock = { ...systemClock, monotonic: () => now, sleep };
    expect(await apart(lock, { ...patience, clock }, async () => now)).toBe(1200);
    expect(readdirSync(dirname(lock))).toEqual(['a.lock']);
  });

  test('takes a lock over whose holder is dead, and needs none where no file can be', async () => {
    const lock = join(mkdtempSync(join(folder, 'dead-')), 'a.lock');
    writeFileSync(lock, JSON.stringify({ pid: 2 ** 22 + 1, startedAt: '1' }));
    const never = { ...systemClock, monotonic: () => 0 };
    expect(await apart(lock, { ...patience, clock: never }, async () => readdirSync(dirname(lock)))).toEqual([
      'a.lock',
    ]);
    expect(readdirSync(dirname(lock))).toEqual([]);
    expect(await apart('/nowhere/a.lock', { ...patience, clock: never }, async () => 'done')).toBe('done');
  });
});

test('what must not run beside others waits for them, and is not done where that takes too long', async () => {
  const lock = join(mkdtempSync(join(folder, 'alone-')), 'a.lock');
  const done: string[] = [];
  const first = deferred<void>();
  const holding = aloneWithin(lock, { clock: systemClock, patience: 1000 }, () => first.promise);
  await expect.poll(() => existsSync(lock)).toBe(true);
  const hasty = { clock: systemClock, patience: 0 };
  expect(await aloneWithin(lock, hasty, async () => done.push('hasty'))).toBeNull();
  const patient = aloneWithin(lock, { clock: systemClock, patience: 20_000 }, async () =>
    done.push('patient'),
  );
  expect(done).toEqual([]);
  first.resolve();
  await holding;
  expect(await patient).toBe(1);
  const failing = aloneWithin(lock, hasty, () => Promise.reject(new Error('of the work')));
  await expect(failing).rejects.toThrow('of the work');
  expect(existsSync(lock)).toBe(false);
  await expect(aloneWithin('/nowhere/a.lock', hasty, async () => 'done')).rejects.toMatchObject({
    code: 'ENOENT',
  });
});
