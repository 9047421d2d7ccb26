import type Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../../src/foundation/clock.js';
import { openDatabase } from '../../../../src/foundation/open-database.js';
import { ReminderKeys } from '../../../../src/gateway/control/reminder-keys.js';
import { IdempotencyKeys, idempotencySchema } from '../../../../src/storage/idempotency-keys.js';
import type { Store } from '../../../../src/storage/store.js';
import { storeOver } from '../../../support/store-over.js';

let database: Database.Database;
let store: Store;
beforeEach(() => {
  database = openDatabase(':memory:');
  database.exec(idempotencySchema.tables);
  store = storeOver(database);
});
afterEach(() => void database.close());

const reminderKeys = (): ReminderKeys =>
  new ReminderKeys(new IdempotencyKeys(store, 'reminder'), systemClock);
const asked = (body: object, kept = false) => ({ body, kept });

/** Tells how often something was made. */
const counter = () => ({
  made: 0,
  next() {
    this.made += 1;
    return this.made;
  },
});

test('a key gives the first answer again, whatever became of it, and is refused with another body', async () => {
  const keys = reminderKeys();
  const count = counter();
  const create = async () => ({ reminders: [`r${count.next()}`] });
  expect(await keys.once('k', asked({ a: 1, b: 2 }), create)).toEqual({
    answer: { reminders: ['r1'] },
    replayed: false,
  });
  expect(await keys.once('k', asked({ b: 2, a: 1 }), create)).toEqual({
    answer: { reminders: ['r1'] },
    replayed: true,
  });
  expect(await keys.once('k', asked({ a: 1 }), create)).toBeNull();
  expect(await keys.once(null, asked({ a: 1, b: 2 }), create)).toEqual({
    answer: { reminders: ['r2'] },
    replayed: false,
  });
  expect(count.made).toBe(2);
});

test('two calls at once are one; both get a refusal, which uses up no key', async () => {
  const keys = reminderKeys();
  const count = counter();
  const create = async () => ({ made: count.next() });
  const [first, second] = await Promise.all([
    keys.once('k', asked({}), create),
    keys.once('k', asked({}), create),
  ]);
  expect([first, second]).toEqual([
    { answer: { made: 1 }, replayed: false },
    { answer: { made: 1 }, replayed: true },
  ]);
  const refuse = async () => ({ refusal: 'too many' });
  const refused = await Promise.all([keys.once('l', asked({}), refuse), keys.once('l', asked({}), refuse)]);
  expect(refused.map((one) => one?.replayed)).toEqual([false, false]);
  expect(await keys.once('l', asked({ other: true }), create)).toEqual({
    answer: { made: 2 },
    replayed: false,
  });
});

test('the latest answers are kept, 16 Mi characters of them', async () => {
  const keys = reminderKeys();
  const count = counter();
  const large = async () => ({ made: count.next(), text: 'x'.repeat(5 * 1024 * 1024) });
  for (const key of ['a', 'b', 'c', 'd']) await keys.once(key, asked({}), large);
  expect((await keys.once('d', asked({}), large))?.replayed).toBe(true);
  expect((await keys.once('a', asked({}), large))?.replayed).toBe(false);
});

test('the answer of kept reminders is there after a restart, that of others is not', async () => {
  const count = counter();
  const create = async (note: (answer: { made: number }) => void) => {
    const answer = { made: count.next() };
    note(answer);
    return answer;
  };
  const before = reminderKeys();
  await before.once('kept', asked({}, true), create);
  await before.once('lost', asked({}), create);
  expect(await before.once('kept', asked({}), create)).toBeNull();
  const after = reminderKeys();
  expect(await after.once('kept', asked({}, true), create)).toEqual({ answer: { made: 1 }, replayed: true });
  expect(await after.once('kept', asked({ other: true }, true), create)).toBeNull();
  expect(await after.once('lost', asked({}), create)).toEqual({ answer: { made: 3 }, replayed: false });
});

test('of kept reminders the latest answers are kept, too', async () => {
  const keys = reminderKeys();
  const count = counter();
  const large = async (note: (answer: object) => void) => {
    const answer = { made: count.next(), text: 'x'.repeat(5 * 1024 * 1024) };
    note(answer);
    return answer;
  };
  for (const key of ['a', 'b', 'c', 'd']) await keys.once(key, asked({}, true), large);
  expect((await keys.once('d', asked({}, true), large))?.replayed).toBe(true);
  expect((await keys.once('b', asked({}, true), large))?.replayed).toBe(true);
  expect((await keys.once('a', asked({}, true), large))?.replayed).toBe(false);
});
