import { expect, test } from 'vitest';
import { noticeEnd } from '../../../../src/gateway/notifier/inbox.js';

const none = { error_code: null };

test.each([
  ['waits', { ...none, state: 'accepted' }, null, 'under_way'],
  ['is typed', { ...none, state: 'running' }, 'claimed', 'under_way'],
  [
    'is with the process of its agent, which says nothing yet',
    { ...none, state: 'running' },
    'handed_over',
    'under_way',
  ],
  ['was taken, and its turn runs', { ...none, state: 'running' }, 'confirmed', 'notified'],
  ['was answered', { ...none, state: 'completed' }, 'confirmed', 'notified'],
  ['was dropped when its turn came', { ...none, state: 'completed' }, null, 'dropped'],
  ['found no agent', { ...none, state: 'failed' }, null, 'failed'],
  ['did not get to its agent', { error_code: 'delivery_failed', state: 'failed' }, 'failed', 'failed'],
  [
    'may be with its agent: an unknown is no failure',
    { ...none, state: 'failed' },
    'unconfirmed',
    'notified',
  ],
  [
    'was taken by a turn that failed',
    { error_code: 'interrupted', state: 'failed' },
    'confirmed',
    'notified',
  ],
  ['was cancelled', { ...none, state: 'cancelled' }, null, 'withdrawn'],
  ['was for an earlier agent', { error_code: 'discarded', state: 'cancelled' }, null, 'dropped'],
  ['gave way to another', { ...none, state: 'coalesced' }, null, 'dropped'],
] as const)('a prompt that %s', (_what, request, delivery, end) => {
  expect(noticeEnd(request, delivery && { delivery_state: delivery })).toBe(end);
});

test('one that is not kept any more is long over', () => {
  expect(noticeEnd(null, null)).toBe('notified');
});
