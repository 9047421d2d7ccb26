import type Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../../src/foundation/open-database.js';
import {
  bodyDigest,
  checkKey,
  IdempotencyKeys,
  idempotencySchema,
} from '../../../src/storage/idempotency-keys.js';
import type { Store } from '../../../src/storage/store.js';
import { storeOver } from '../../support/store-over.js';

let database: Database.Database;
let store: Store;
beforeEach(() => {
  database = openDatabase(':memory:');
  database.exec(`${idempotencySchema.tables}${idempotencySchema.indexes}`);
  store = storeOver(database);
});
afterEach(() => void database.close());

const call = (subject: string, at = 0, answer: string | null = null) => ({
  digest: bodyDigest({ subject }),
  subject,
  answer,
  at,
});

test('a digest depends on the content of a body, not on the order of its fields', () => {
  const body = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(body, fc.string(), (one, text) => {
      expect(bodyDigest(Object.fromEntries(Object.entries(one).reverse()))).toBe(bodyDigest(one));
      expect(bodyDigest({ ...one, text: [text] })).not.toBe(bodyDigest({ ...one, text }));
    }),
  );
});

test('a key is new, stands for the same call, or for another one', () => {
  const known = { digest: 'd' };
  expect([checkKey(null, 'd'), checkKey(known, 'd'), checkKey(known, 'e')]).toEqual([
    'new',
    known,
    'another_call',
  ]);
});

test('a key belongs to its kind of calls, and to one call of that kind', () => {
  const [mail, prompts] = [new IdempotencyKeys(store, 'mail'), new IdempotencyKeys(store, 'direct_prompt')];
  mail.insert('k', call('msg-1', 7));
  prompts.insert('k', call('turn-1'));
  prompts.answer('k', '{"ok":true}');
  expect(mail.check('k', bodyDigest({ subject: 'msg-1' }))).toEqual(call('msg-1', 7));
  expect(prompts.find('k')).toEqual(call('turn-1', 0, '{"ok":true}'));
  expect(prompts.check('k', bodyDigest({ subject: 'msg-1' }))).toBe('another_call');
  expect(prompts.check('l', bodyDigest({}))).toBe('new');
  expect(() => mail.insert('k', call('msg-2'))).toThrow(/UNIQUE/);
});

test('keys are forgotten by their subject, by their age, and by the size of their answers; others of their kind and other kinds stay', () => {
  const [mail, reminders] = [new IdempotencyKeys(store, 'mail'), new IdempotencyKeys(store, 'reminder')];
  const left = (keys: IdempotencyKeys) => ['a', 'b', 'c'].filter((key) => keys.find(key) !== null).join('');
  for (const keys of [mail, reminders])
    ['a', 'b', 'c'].forEach((key, index) => void keys.insert(key, call(key, index, 'x'.repeat(100))));
  expect([mail.forgetBefore(2, 1), left(mail)]).toEqual([1, 'bc']);
  mail.forgetSubject('b');
  expect(left(mail)).toBe('c');
  reminders.forgetBeyond(2 * 612);
  expect([left(reminders), left(mail)]).toEqual(['bc', 'c']);
});
