import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { typeKeys } from '../../../src/dispatch/type-keys.js';
import { FakeTerminal } from '../../support/terminal/fake-terminal.js';
import { makeQueue, type TestQueue } from '../../support/test-queue.js';

let queue: TestQueue;
let terminal: FakeTerminal;
beforeEach(async () => {
  queue = await makeQueue();
  terminal = new FakeTerminal();
  notNoted = [];
});
afterEach(() => queue.close());

let notNoted: unknown[];
const type = (sequence: string, literal = false) =>
  typeKeys(terminal, { sequence, literal }, queue.journal, (error) => void notNoted.push(error));
const events = () =>
  queue.store
    .prepare<[], { kind: string; data_json: string }>('SELECT * FROM events ORDER BY seq')
    .all()
    .map(({ kind, data_json }) => [kind, JSON.parse(data_json)]);
const noted = (sequence_preview: string, escape_special_keys = false) => [
  'control_input',
  { sequence_preview, escape_special_keys, submitted_at_utc: expect.any(String) },
];

test('what was typed is noted, its beginning only', async () => {
  const long = `a<[Enter]>${'漢'.repeat(200)}`;
  expect(await type(long)).toBeNull();
  expect(await type('<[Enter]>', true)).toBeNull();
  expect(terminal.typed).toEqual([
    { text: 'a' },
    { key: 'Enter' },
    { text: '漢'.repeat(200) },
    { text: '<[Enter]>' },
  ]);
  expect(events()).toEqual([noted(`a<[Enter]>${'漢'.repeat(110)}`), noted('<[Enter]>', true)]);
});

test.each([
  ['typed <[F1]>', '<[F1]>'],
  ['a\u0001b', 'U+0001'],
])('%j types nothing, and there is nothing to note', async (sequence, detail) => {
  expect(await type(sequence)).toEqual({ code: 'unsendable', detail: expect.stringContaining(detail) });
  expect([terminal.typed, events()]).toEqual([[], []]);
});

test.each([0, 1])('of a terminal that is lost after %i segments the keys are noted too', async (count) => {
  terminal.lostAfter = count;
  expect(await type('a<[Enter]>b')).toEqual({
    code: 'lost',
    detail: 'The terminal was lost while the keys were typed; what was typed before stays typed.',
  });
  expect(terminal.typed).toHaveLength(count);
  expect(events()).toEqual([noted('a<[Enter]>b')]);
});

test('so they are when a fault of ours ends the typing, which is not hidden', async () => {
  terminal.fault = new Error('broken');
  await expect(type('a')).rejects.toThrow('broken');
  expect(events()).toEqual([noted('a')]);
});

describe('a note that fails is reported, and does not change the answer:', () => {
  beforeEach(() => void queue.refuse('INSERT ON events'));
  const reported = [expect.objectContaining({ message: 'refused' })];

  test('all was typed', async () => {
    expect(await type('a<[Enter]>')).toBeNull();
    expect([terminal.typed, notNoted]).toEqual([[{ text: 'a' }, { key: 'Enter' }], reported]);
  });

  test('the terminal was lost', async () => {
    terminal.lostAfter = 1;
    expect([await type('a<[Enter]>'), notNoted]).toEqual([
      expect.objectContaining({ code: 'lost' }),
      reported,
    ]);
  });

  test('a fault of ours ended it', async () => {
    terminal.fault = new Error('broken');
    await expect(type('a')).rejects.toThrow('broken');
    expect(notNoted).toEqual(reported);
  });
});
