import { expect, test } from 'vitest';
import { endedWorkLines } from '../../../../src/cli/commands/ended-work.js';

const work = {
  waiting: [{ request_id: 'gwreq-1' }, { request_id: 'gwreq-2' }],
  hasMoreWaiting: false,
  turnId: 'turn-1',
  reminders: { inMemory: 1, kept: 2 },
};

test('what waits outlives a gateway, and not the agent', () => {
  expect(endedWorkLines(work, 'gateway')).toEqual([
    'Stays queued for the next gateway: gwreq-1, gwreq-2',
    'Running, and is interrupted: turn-1',
    'Lost with it: 1 reminder',
    'Kept for the next gateway: 2 reminders',
  ]);
  expect(endedWorkLines(work, 'agent')).toEqual([
    'Queued, and will not run: gwreq-1, gwreq-2',
    'Running, and is interrupted: turn-1',
    'Will not fire: 3 reminders',
  ]);
});

test('nothing is said of nothing; more than a page is said to be more', () => {
  const idle = { waiting: [], hasMoreWaiting: false, turnId: null, reminders: { inMemory: 0, kept: 0 } };
  expect(endedWorkLines(idle, 'gateway')).toEqual([]);
  const reminders = { inMemory: 0, kept: 1 };
  expect(endedWorkLines({ ...work, hasMoreWaiting: true, turnId: null, reminders }, 'gateway')).toEqual([
    'Stays queued for the next gateway: gwreq-1, gwreq-2 and more',
    'Kept for the next gateway: 1 reminder',
  ]);
});
