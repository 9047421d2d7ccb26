import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newReminder, type Reminder, redefined } from '../../../../src/dispatch/reminders/reminder.js';
import {
  ReminderBook,
  ReminderTable,
  reminderSchema,
} from '../../../../src/dispatch/reminders/reminder-book.js';
import {
  afterDelivery,
  deleted,
  findReminder,
  type ReminderSet,
  started,
  withoutReminder,
  withReminder,
} from '../../../../src/dispatch/reminders/reminder-set.js';
import { openDatabase } from '../../../../src/foundation/open-database.js';
import { storeOver } from '../../../support/store-over.js';

const moment = fc.integer({ min: -8.64e15, max: 8.64e15 });
const definition = fc.record({
  title: fc.string({ unit: 'grapheme' }),
  delivery: fc.oneof(
    fc.record({ kind: fc.constant('prompt' as const), prompt: fc.string({ unit: 'grapheme' }) }),
    fc.record({ kind: fc.constant('send_keys' as const), sequence: fc.string(), ensureEnter: fc.boolean() }),
  ),
  ranking: fc.maxSafeInteger(),
  paused: fc.boolean(),
  due: fc.record({ at: moment }),
  intervalSeconds: fc.option(fc.double({ min: 5e-324, max: 3_155_760_000, noNaN: true })),
});
const id = fc.constantFrom('a', 'b', 'c', 'd');
const change = fc.oneof(
  fc.record({ does: fc.constant('add' as const), id, definition, kept: fc.boolean() }),
  fc.record({ does: fc.constant('update' as const), id, definition, kept: fc.option(fc.boolean()) }),
  fc.record({ does: fc.constantFrom('start', 'end', 'delete', 'restart', 'fail'), id }),
);

/** A set after one more change, made as loop and service make it. */
function changed(
  set: ReminderSet,
  one: typeof change extends fc.Arbitrary<infer T> ? T : never,
): ReminderSet {
  const found = findReminder(set, one.id);
  if (one.does === 'add') return found ? set : [...set, newReminder(one.id, one.definition, 1, one.kept)];
  if (!found) return set;
  if (one.does === 'update')
    return withReminder(set, redefined(found, one.definition, 2, one.kept ?? undefined));
  if (one.does === 'start') return withReminder(set, started(found, 3, 'turn'));
  if (one.does === 'delete') return deleted(set, found);
  const after = afterDelivery(found, 4);
  return after ? withReminder(set, after) : withoutReminder(set, found.id);
}

const byId = (a: Reminder, b: Reminder) => (a.id < b.id ? -1 : 1);
const keptOf = (set: ReminderSet) => set.filter(({ kept }) => kept).sort(byId);

test('the next book begins with the kept reminders as they were, whatever was done, refused or restarted', () => {
  const property = fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
    const database = openDatabase(':memory:');
    try {
      database.exec(reminderSchema.tables);
      const table = new ReminderTable(storeOver(database));
      const open = () => new ReminderBook({ keep: () => undefined }, table);
      let book = open();
      for (const one of changes) {
        const undo = book.snapshot();
        const before = book.set;
        if (one.does === 'restart') book = open();
        else if (one.does === 'fail') {
          database.exec('BEGIN');
          book.replace([]);
          database.exec('ROLLBACK');
          undo();
          expect(book.set).toEqual(before);
        } else book.replace(changed(before, one));
        expect(table.all().sort(byId)).toEqual(keptOf(book.set));
      }
    } finally {
      database.close();
    }
  });
  fc.assert(property);
});
