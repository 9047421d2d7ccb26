import { expect, test } from 'vitest';
import { beatSeconds, presenceOf, readHostRecord } from '../../../../src/fleet/hosts/host-record.js';

test.each([
  [0, false, 'online'],
  [15_000, false, 'online'],
  [15_001, false, 'away'],
  [0, true, 'left'],
])('heard of %i ms ago, left: %s, a host is %s', (age, left, presence) => {
  expect(presenceOf({ beat_seconds: 5, left }, age)).toBe(presence);
});

test('a host says rarely that it lives where there are many: a thousand send about forty signs a second', () => {
  expect(beatSeconds(0)).toBe(5);
  expect(beatSeconds(2)).toBe(5);
  expect(1000 / beatSeconds(1000)).toBe(40);
});

const record = {
  version: 1,
  host: 'ws1',
  host_id: 'one',
  address: 'machine (pid 1, port 2)',
  release: '0.2.0',
  joined_at_utc: '2026-03-13T00:00:00+00:00',
  started_at_utc: '2026-03-13T00:00:00+00:00',
  beat_seconds: 5,
  left: false,
};
const read = (value: unknown, operation: 'PUT' | 'DEL' = 'PUT') =>
  readHostRecord({ operation, string: () => (typeof value === 'string' ? value : JSON.stringify(value)) });

test('a record is read back, also with fields of a later release', () => {
  expect(read({ ...record, region: 'eu' })).toMatchObject(record);
});

test.each([
  ['of a later version', { ...record, version: 2 }],
  ['without a time', { ...record, joined_at_utc: undefined }],
  ['with a beat that is no number', { ...record, beat_seconds: '5' }],
  ['that is a list', []],
  ['that is null', null],
  ['that is no JSON', '{'],
])('a record %s is none', (_what, value) => {
  expect(read(value)).toBeNull();
});

test('a record that was deleted is none', () => {
  expect(read(record, 'DEL')).toBeNull();
});
