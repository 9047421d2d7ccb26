import { expect, test } from 'vitest';
import { ReminderKeys } from '../../../../src/gateway/control/reminder-keys.js';

/** Tells how often something was made. */
const counter = () => ({
  made: 0,
  next() {
    this.made += 1;
    return this.made;
  },
});

test('a key gives the first answer again, whatever became of it, and is refused with another body', async () => {
  const keys = new ReminderKeys();
  const count = counter();
  const create = async () => ({ reminders: [`r${count.next()}`] });
  expect(await keys.once('k', { a: 1, b: 2 }, create)).toEqual({
    answer: { reminders: ['r1'] },
    replayed: false,
  });
  expect(await keys.once('k', { b: 2, a: 1 }, create)).toEqual({
    answer: { reminders: ['r1'] },
    replayed: true,
  });
  expect(await keys.once('k', { a: 1 }, create)).toBeNull();
  expect(await keys.once(null, { a: 1, b: 2 }, create)).toEqual({
    answer: { reminders: ['r2'] },
    replayed: false,
  });
  expect(count.made).toBe(2);
});

test('two calls at once are one; a refusal is told to both and uses up no key', async () => {
  const keys = new ReminderKeys();
  const count = counter();
  const create = async () => ({ made: count.next() });
  const [first, second] = await Promise.all([keys.once('k', {}, create), keys.once('k', {}, create)]);
  expect([first, second]).toEqual([
    { answer: { made: 1 }, replayed: false },
    { answer: { made: 1 }, replayed: true },
  ]);
  const refuse = async () => ({ refusal: 'too many' });
  const refused = await Promise.all([keys.once('l', {}, refuse), keys.once('l', {}, refuse)]);
  expect(refused.map((one) => one?.replayed)).toEqual([false, false]);
  expect(await keys.once('l', { other: true }, create)).toEqual({ answer: { made: 2 }, replayed: false });
});

test('the latest answers are kept, 16 Mi characters of them', async () => {
  const keys = new ReminderKeys();
  const count = counter();
  const large = async () => ({ made: count.next(), text: 'x'.repeat(5 * 1024 * 1024) });
  for (const key of ['a', 'b', 'c', 'd']) await keys.once(key, {}, large);
  expect((await keys.once('d', {}, large))?.replayed).toBe(true);
  expect((await keys.once('a', {}, large))?.replayed).toBe(false);
});
