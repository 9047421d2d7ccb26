import { describe, expect, test } from 'vitest';
import {
  acceptedRecord,
  type CommandFilter,
  type CommandMessage,
  type CommandRecord,
  chosenCommands,
  isLate,
  isSettled,
  readCommand,
  readRecord,
  verdictOf,
} from '../../../../src/fleet/commands/command.js';

test.each([
  [200, null, 'admitted'],
  [202, null, 'admitted'],
  [400, 'bad_request', 'refused'],
  [404, 'unknown_agent', 'refused'],
  [409, 'ambiguous_agent', 'refused'],
  [409, 'blocked_reconciliation', 'wait'],
  [408, 'request_timeout', 'wait'],
  [422, 'validation_failed', 'refused'],
  [429, null, 'wait'],
  [500, 'internal_fault', 'wait'],
  [503, 'unavailable', 'wait'],
])('an admission that is answered with %i %s is %s', (status, code, verdict) => {
  expect(verdictOf(status, code)).toBe(verdict);
});

const message: CommandMessage = {
  version: 1,
  command_id: `fcmd-${'0'.repeat(32)}`,
  agent_ref: 'beta',
  body: { kind: 'submit_prompt', payload: { prompt: 'Hello' } },
  digest: 'd',
  accepted_at_utc: '2026-03-13T00:00:00.000000+00:00',
  deadline_at_utc: null,
};
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

test('a command is read back, with fields of a later release too', () => {
  expect(readCommand(bytes({ ...message, priority: 1 }))).toMatchObject(message);
});

test.each<[what: string, value: unknown, read: 'newer' | null]>([
  ['of a later version', { ...message, version: 2, body: 7 }, 'newer'],
  ['without an id', { ...message, command_id: undefined }, null],
  ['without a body', { ...message, body: null }, null],
  ['with a deadline that is no text', { ...message, deadline_at_utc: 5 }, null],
  ['without a version', { ...message, version: undefined }, null],
  ['that is a text', 'hello', null],
])('a message %s is %s', (_what, value, read) => {
  expect(readCommand(bytes(value))).toBe(read);
});

test('a message that is no JSON is none', () => {
  expect(readCommand(new Uint8Array([0xff, 0x00]))).toBeNull();
});

test('a command that was accepted is read back from its record, and waits', () => {
  const record = acceptedRecord(message, 'ws2');
  expect(readRecord(JSON.stringify(record))).toEqual(record);
  expect(isSettled(record)).toBe(false);
  expect(readRecord(JSON.stringify({ ...record, version: 2 }))).toBeNull();
});

test.each([
  [null, false],
  ['2026-03-13T00:00:01Z', false],
  ['2026-03-13T00:00:00Z', true],
  ['2026-03-12T23:59:59Z', true],
])('with the deadline %s a command is late: %s', (deadline_at_utc, late) => {
  expect(isLate({ deadline_at_utc }, new Date('2026-03-13T00:00:00Z'))).toBe(late);
});

describe('a list of commands', () => {
  const recordOf = (minute: number, change: Partial<CommandRecord> = {}): CommandRecord => ({
    ...acceptedRecord(message, 'ws2'),
    command_id: `fcmd-${minute}`,
    accepted_at_utc: `2026-03-13T00:${String(minute).padStart(2, '0')}:00.000000+00:00`,
    ...change,
  });
  const all = [
    recordOf(3),
    recordOf(1, { state: 'admitting' }),
    recordOf(2, { host: 'ws3' }),
    recordOf(4, { state: 'delivered' }),
    recordOf(5, { agent_ref: 'b2' }),
    recordOf(6, { agent_ref: 'gamma' }),
  ];
  const filter: CommandFilter = { host: undefined, agents: null, state: 'waiting', limit: 50 };

  test.each<[what: string, change: Partial<CommandFilter>, minutes: number[], total: number]>([
    ['what waits, in the order in which it was given', {}, [1, 2, 3, 5, 6], 5],
    ['that of one host', { host: 'ws2' }, [1, 3, 5, 6], 4],
    ['that of an agent, by each of its names', { agents: new Set(['beta', 'b2']) }, [1, 2, 3, 5], 4],
    ['the first of many, and how many there are', { limit: 2 }, [1, 2], 5],
    ['all, the latest first', { state: 'all', limit: 3 }, [6, 5, 4], 6],
  ])('has %s', (_what, change, minutes, total) => {
    const { commands, total: count } = chosenCommands(all, { ...filter, ...change });
    expect([commands.map(({ command_id }) => command_id), count]).toEqual([
      minutes.map((minute) => `fcmd-${minute}`),
      total,
    ]);
  });

  test('shows the beginning of each prompt, where the body has one', () => {
    const long = { kind: 'submit_prompt', payload: { prompt: '🙂'.repeat(300) } };
    expect(acceptedRecord({ ...message, body: long }, 'ws2').prompt_preview).toBe('🙂'.repeat(200));
    expect(acceptedRecord({ ...message, body: {} }, 'ws2')).not.toHaveProperty('prompt_preview');
  });
});
