import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../../src/foundation/clock.js';
import { deferred } from '../../../../../src/foundation/concurrency.js';
import { type MailPaths, mailPaths } from '../../../../../src/mail/filesystem/root/mail-paths.js';
import { type LeftLocks, MailboxLocks } from '../../../../../src/mail/filesystem/root/mailbox-locks.js';
import { temporaryFolder } from '../../../../support/temporary-folder.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';

const module = (name: string) => new URL(`../../../../../dist/src/${name}`, import.meta.url).href;

function newLocks(clock = systemClock as typeof systemClock | VirtualClock) {
  const paths = mailPaths(mkdtempSync(join(temporaryFolder(), 'locks-')));
  mkdirSync(paths.addressLocks, { recursive: true });
  const recovered: LeftLocks[] = [];
  const make = () => new MailboxLocks({ paths, clock, recover: async (left) => void recovered.push(left) });
  return { paths, recovered, make, locks: make(), index: join(paths.locks, 'index.lock') };
}
const held = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.lock'))
    .sort();

test('addresses are locked in the order of their code points, the index last, each with the line of the format', async () => {
  const { paths, locks, index } = newLocks();
  const blocker = join(paths.addressLocks, 'b@x.lock');
  writeFileSync(blocker, 'pid=1 acquired_at_utc=2026-01-01T00:00:00.000000+00:00\n');
  const inside = deferred<string[]>();
  const working = locks.withIndex(['c@x', 'a@x', 'B@x', 'b@x', 'a@x'], () =>
    inside.resolve(held(paths.addressLocks)),
  );
  await expect.poll(() => held(paths.addressLocks)).toEqual(['B@x.lock', 'a@x.lock', 'b@x.lock']);
  expect(existsSync(index)).toBe(false);
  expect(readFileSync(join(paths.addressLocks, 'a@x.lock'), 'utf8')).toMatch(
    new RegExp(
      `^pid=${process.pid} acquired_at_utc=\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}\\+00:00\\n$`,
    ),
  );
  rmSync(blocker);
  expect(await inside.promise).toEqual(['B@x.lock', 'a@x.lock', 'b@x.lock', 'c@x.lock']);
  await working;
  expect([held(paths.addressLocks), existsSync(index)]).toEqual([[], false]);
  expect(readdirSync(join(paths.locks, 'holders'))).toEqual([]);
});

test('what the work gives and throws comes out, and the locks are free', async () => {
  const { paths, locks } = newLocks();
  expect(await locks.withAddress('a@x', () => held(paths.addressLocks))).toEqual(['a@x.lock']);
  await expect(
    locks.withIndex(['a@x'], () => {
      throw new Error('of the work');
    }),
  ).rejects.toThrow('of the work');
  expect([held(paths.addressLocks), held(paths.locks)]).toEqual([[], []]);
});

test('after five seconds of somebody else’s lock the earlier ones are given back, and nothing was done', async () => {
  const clock = new VirtualClock('2026-01-01T00:00:00Z');
  const { paths, locks } = newLocks(clock);
  const line = 'pid=1 acquired_at_utc=2026-01-01T00:00:00.000000+00:00';
  writeFileSync(join(paths.addressLocks, 'b@x.lock'), `${line}\n`);
  let worked = false;
  const attempt = locks.withIndex(['a@x', 'b@x'], () => {
    worked = true;
  });
  const failed = expect(attempt).rejects.toMatchObject({
    code: 'locked',
    message: expect.stringContaining(line),
  });
  await clock.passUntil(failed, 10);
  expect([worked, held(paths.addressLocks)]).toEqual([false, ['b@x.lock']]);
});

/** A process that takes locks and is killed while it holds them. */
async function killedHolder(root: string): Promise<void> {
  const script = `
    import { systemClock } from ${JSON.stringify(module('foundation/clock.js'))};
    import { mailPaths } from ${JSON.stringify(module('mail/filesystem/root/mail-paths.js'))};
    import { MailboxLocks } from ${JSON.stringify(module('mail/filesystem/root/mailbox-locks.js'))};
    const locks = new MailboxLocks({ paths: mailPaths(${JSON.stringify(root)}), clock: systemClock, recover: async () => {} });
    await locks.withIndex(['b@x', 'a@x'], () => { console.log('held'); return new Promise((done) => setTimeout(done, 60_000)); });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('what a killed process held is recovered once, under its locks, before anybody else has them', async () => {
  const { paths, locks, make, recovered } = newLocks();
  await killedHolder(paths.root);
  expect([held(paths.addressLocks), held(paths.locks)]).toEqual([['a@x.lock', 'b@x.lock'], ['index.lock']]);
  const seen: string[][] = [];
  const note = () => void seen.push(held(paths.addressLocks));
  await Promise.all([
    locks.withAddress('b@x', note),
    make().withAddress('b@x', note),
    make().withIndex(['c@x'], note),
  ]);
  expect(recovered).toEqual([{ addresses: ['a@x', 'b@x'], index: true }]);
  expect(seen).toHaveLength(3);
  expect([held(paths.addressLocks), held(paths.locks)]).toEqual([[], []]);
  expect(readdirSync(join(paths.locks, 'holders')).filter((name) => name !== 'recovery.lock')).toEqual([]);
});

test('recovery that fails leaves the locks where they are', async () => {
  const { paths } = newLocks();
  await killedHolder(paths.root);
  const failing = new MailboxLocks({
    paths,
    clock: systemClock,
    recover: () => Promise.reject(new Error('no disk')),
  });
  await expect(failing.withAddress('a@x', () => undefined)).rejects.toThrow('no disk');
  expect([held(paths.addressLocks), held(paths.locks)]).toEqual([['a@x.lock', 'b@x.lock'], ['index.lock']]);
});

test('a start recovers what is left without waiting for anybody to need it', async () => {
  const { paths, locks, recovered } = newLocks();
  await killedHolder(paths.root);
  await locks.recoverLeft();
  expect(recovered).toHaveLength(1);
  expect(held(paths.addressLocks)).toEqual([]);
});

test('a lock that says no more than a pid goes when that is nobody’s and it is old', async () => {
  const { paths, locks, recovered } = newLocks();
  const gone = spawn('true');
  await once(gone, 'exit');
  const lock = join(paths.addressLocks, 'a@x.lock');
  writeFileSync(lock, `pid=${gone.pid} acquired_at_utc=2026-01-01T00:00:00.000000+00:00\n`);
  const old = Date.now() / 1000 - 11 * 60;
  utimesSync(lock, old, old);
  expect(await locks.withAddress('a@x', () => 'mine')).toBe('mine');
  expect(recovered).toEqual([{ addresses: ['a@x'], index: false }]);
});

/** A lock of ours whose holder is not of this boot. */
function elsewhere(paths: MailPaths, silentMinutes: number): string {
  const holder = join(paths.holders, 'other-boot.1~999999~1~x');
  mkdirSync(paths.holders, { recursive: true });
  writeFileSync(holder, 'pid=999999 acquired_at_utc=x\n');
  linkSync(holder, join(paths.addressLocks, 'a@x.lock'));
  const last = Date.now() / 1000 - silentMinutes * 60;
  utimesSync(holder, last, last);
  return holder;
}

test('a lock of another boot or machine goes after ten minutes without a sign of its holder', async () => {
  const { paths, locks, recovered } = newLocks();
  elsewhere(paths, 11);
  expect(await locks.withAddress('a@x', () => 'mine')).toBe('mine');
  expect(recovered).toEqual([{ addresses: ['a@x'], index: false }]);
  expect(readdirSync(paths.holders)).toEqual(['recovery.lock']);
});

test('before that it is never judged, and its pid means nothing', async () => {
  const clock = new VirtualClock(new Date().toISOString());
  const { paths, locks, recovered } = newLocks(clock);
  const holder = elsewhere(paths, 9);
  const failed = expect(locks.withAddress('a@x', () => 'mine')).rejects.toMatchObject({ code: 'locked' });
  await clock.passUntil(failed, 10);
  expect([recovered, existsSync(holder)]).toEqual([[], true]);
});

test('who works for long tells every minute that it goes on', async () => {
  const clock = new VirtualClock('2026-01-01T00:00:00Z');
  const { paths, locks } = newLocks(clock);
  const lock = join(paths.addressLocks, 'a@x.lock');
  const [inside, done] = [deferred<void>(), deferred<void>()];
  const working = locks.withAddress('a@x', () => {
    inside.resolve();
    return done.promise;
  });
  await inside.promise;
  clock.pass(60_000);
  await expect.poll(() => statSync(lock).mtime).toEqual(clock.now());
  clock.pass(60_000);
  await expect.poll(() => statSync(lock).mtime).toEqual(clock.now());
  done.resolve();
  await working;
  expect(existsSync(lock)).toBe(false);
});

test('a lock that is another one’s by now is not removed', async () => {
  const { paths, locks } = newLocks();
  const lock = join(paths.addressLocks, 'a@x.lock');
  await locks.withAddress('a@x', () => {
    rmSync(lock);
    writeFileSync(lock, 'pid=1 acquired_at_utc=x\n');
  });
  expect(readFileSync(lock, 'utf8')).toBe('pid=1 acquired_at_utc=x\n');
});

test('work whose locks cannot be removed is done all the same, and they go as soon as they can', () => {
  const folder = temporaryFolder();
  const script = `
    import { execFileSync } from 'node:child_process';
    import { mkdirSync, readdirSync } from 'node:fs';
    import { systemClock } from ${JSON.stringify(module('foundation/clock.js'))};
    import { mailPaths } from ${JSON.stringify(module('mail/filesystem/root/mail-paths.js'))};
    import { MailboxLocks } from ${JSON.stringify(module('mail/filesystem/root/mailbox-locks.js'))};
    const folder = ${JSON.stringify(folder)};
    const paths = mailPaths(folder);
    mkdirSync(paths.addressLocks, { recursive: true });
    const remount = (how) => execFileSync('mount', ['-o', 'remount,' + how, folder]);
    const locks = new MailboxLocks({ paths, clock: systemClock, recover: async () => {} });
    const said = await locks.withIndex(['a@x'], () => { remount('ro'); return 'done'; }).catch(String);
    const kept = readdirSync(paths.addressLocks);
    remount('rw');
    locks.giveBackKept();
    console.log(JSON.stringify({ said, kept, after: [readdirSync(paths.addressLocks), readdirSync(paths.locks), readdirSync(paths.holders)] }));`;
  const inside = 'mount -t tmpfs -o size=1m none "$1" && exec "$2" --input-type=module -e "$3"';
  const args = ['--map-root-user', '--mount', 'sh', '-c', inside, 'sh', folder, process.execPath, script];
  expect(JSON.parse(execFileSync('unshare', args, { encoding: 'utf8' }))).toEqual({
    said: 'done',
    kept: ['a@x.lock'],
    after: [[], ['addresses', 'holders'], []],
  });
});

test('any process that may lock may recover, too, whichever came first', async () => {
  const { paths, locks } = newLocks();
  chmodSync(paths.addressLocks, 0o2775);
  const umask = process.umask(0o077);
  onTestFinished(() => void process.umask(umask));
  await locks.withAddress('a@x', () => undefined);
  elsewhere(paths, 11);
  await locks.withAddress('a@x', () => undefined);
  const mode = (path: string) => (statSync(path).mode & 0o7777).toString(8);
  expect([mode(paths.holders), mode(join(paths.holders, 'recovery.lock'))]).toEqual(['2775', '664']);
});

test('a link in place of the recovery’s own lock is not followed', async () => {
  const { paths, locks } = newLocks();
  const outside = join(temporaryFolder(), 'outside');
  elsewhere(paths, 11);
  symlinkSync(outside, join(paths.holders, 'recovery.lock'));
  await expect(locks.withAddress('a@x', () => undefined)).rejects.toMatchObject({ code: 'root_unusable' });
  expect(existsSync(outside)).toBe(false);
});

test('locks stay free as long as they were held, for those who only look from time to time', async () => {
  const clock = new VirtualClock('2026-01-01T00:00:00Z');
  const { locks } = newLocks(clock);
  await locks.withAddress('a@x', () => clock.pass(30));
  let taken = false;
  const second = locks.withAddress('a@x', () => {
    taken = true;
  });
  clock.pass(29);
  await new Promise(setImmediate);
  expect(taken).toBe(false);
  await clock.passUntil(second, 1);
  expect(taken).toBe(true);
});
