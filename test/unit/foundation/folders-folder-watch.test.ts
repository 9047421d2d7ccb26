import { once } from 'node:events';
import { mkdirSync, rmSync, utimesSync, watch as watchFolder, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FolderWatch } from '../../../src/foundation/folders.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const never = new AbortController().signal;

/** The clock stands still: only events of the file system wake. */
const stillClock = (): VirtualClock => new VirtualClock('2026-01-01T00:00:00Z');

/** Waits until nothing wakes any more of what happened before. */
async function settled(watch: FolderWatch): Promise<void> {
  const enough = new AbortController();
  const rest = watch.change(enough.signal).then(() => watch.change(enough.signal));
  setImmediate(() => enough.abort());
  await rest;
}

it('wakes for a change in any of its folders', async () => {
  const folder = temporaryFolder();
  const [one, two] = [join(folder, 'one'), join(folder, 'two')];
  for (const path of [one, two]) mkdirSync(path);
  const watch = new FolderWatch([one, two], stillClock());
  for (const path of [two, one, two]) {
    await settled(watch);
    const change = watch.change(never);
    writeFileSync(join(path, 'file'), 'x');
    await change;
  }
  watch.close();
});

it('wakes for nothing only after a while', async () => {
  const clock = stillClock();
  const watch = new FolderWatch([temporaryFolder()], clock);
  await settled(watch);
  let woken = false;
  const change = watch.change(never).then(() => {
    woken = true;
  });
  clock.pass(249);
  await new Promise(setImmediate);
  expect(woken).toBe(false);
  clock.pass(1);
  await change;
  watch.close();
});

it('a change between two waits is not lost', async () => {
  const folder = temporaryFolder();
  const watch = new FolderWatch([folder], stillClock());
  await settled(watch);
  let seen = false;
  const change = watch.change(never).then(() => {
    seen = true;
  });
  expect(seen).toBe(false);
  writeFileSync(join(folder, 'file'), 'x');
  await change;
  watch.close();
});

it('a folder that comes late is found from time to time, and watched from then on', async () => {
  const folder = join(temporaryFolder(), 'late');
  const clock = stillClock();
  const watch = new FolderWatch([folder], clock);
  const change = watch.change(never);
  mkdirSync(folder);
  clock.pass(250);
  await change;
  await watch.change(never);
  await settled(watch);
  const next = watch.change(never);
  writeFileSync(join(folder, 'file'), 'x');
  await next;
  watch.close();
});

it('other folders can be watched, and the ones before no longer', async () => {
  const folder = temporaryFolder();
  const [before, after] = [join(folder, 'before'), join(folder, 'after')];
  for (const path of [before, after]) mkdirSync(path);
  const watch = new FolderWatch([before], stillClock());
  await settled(watch);
  watch.watch([after]);
  await watch.change(never);
  await settled(watch);
  const change = watch.change(never);
  writeFileSync(join(after, 'file'), 'x');
  await change;
  watch.close();
});

it('the journal of a database wakes when it comes and goes, not when it is touched', async () => {
  const folder = temporaryFolder();
  const journal = join(folder, 'mailbox.sqlite-journal');
  const watch = new FolderWatch([folder], stillClock());
  await settled(watch);
  const created = watch.change(never);
  writeFileSync(journal, Buffer.alloc(512));
  await created;
  await settled(watch);
  const events = watchFolder(folder);
  let isWoken = false;
  const change = watch.change(never).then(() => {
    isWoken = true;
  });
  utimesSync(journal, new Date(), new Date());
  expect(await once(events, 'change')).toEqual(['change', 'mailbox.sqlite-journal']);
  events.close();
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(isWoken).toBe(false);
  rmSync(journal);
  await change;
  watch.close();
});

it('a look that makes a change leaves all else its turn', async () => {
  const folder = temporaryFolder();
  const watch = new FolderWatch([folder], stillClock());
  let isOver = false;
  setTimeout(() => {
    isOver = true;
  }, 0);
  for (let look = 0; look < 1000 && !isOver; look += 1) {
    writeFileSync(join(folder, 'file'), 'x');
    await watch.change(never);
  }
  expect(isOver).toBe(true);
  watch.close();
});
