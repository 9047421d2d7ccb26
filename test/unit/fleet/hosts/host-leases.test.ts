import { expect, test } from 'vitest';
import { type LeaseRecord, leaseMilliseconds, leaseOf } from '../../../../src/fleet/hosts/host-leases.js';
import type { HostRecord } from '../../../../src/fleet/hosts/host-record.js';

const record = (host_id: string, epoch: number | null = null): LeaseRecord => ({
  version: 1,
  host: host_id === 'one' ? 'ws1' : 'ws2',
  host_id,
  since_utc: '2026-03-13T00:00:00+00:00',
  epoch,
});
const holder = (host_id: string, ageMilliseconds: number) => ({
  record: { host_id } as HostRecord,
  ageMilliseconds,
});
const theirs = { kind: 'theirs', host: 'ws2', sinceUtc: '2026-03-13T00:00:00+00:00' };

test('an agent that no host has is free', () => {
  expect(leaseOf(null, 'one', null)).toEqual({ kind: 'free' });
});

test('the revision of the first entry is the epoch, and stays it when the entry is renewed', () => {
  expect(leaseOf({ record: record('one'), revision: 7 }, 'one', null)).toEqual({ kind: 'ours', epoch: 7 });
  expect(leaseOf({ record: record('one', 7), revision: 9 }, 'one', null)).toEqual({ kind: 'ours', epoch: 7 });
});

test.each([
  ['is there', holder('two', 0), theirs],
  ['was heard of ten minutes ago', holder('two', leaseMilliseconds), theirs],
  ['was heard of longer ago', holder('two', leaseMilliseconds + 1), { kind: 'free' }],
  ['never was heard of', null, theirs],
  ['gave its name to another host', holder('three', 0), { kind: 'free' }],
])('an agent of a host that %s', (_what, known, lease) => {
  expect(leaseOf({ record: record('two'), revision: 7 }, 'one', known)).toEqual(lease);
});
