import { expect, test } from 'vitest';
import { endedWorkLines } from '../../../../src/cli/commands/ended-work.js';

const work = {
  waiting: [{ request_id: 'gwreq-1' }, { request_id: 'gwreq-2' }],
  hasMoreWaiting: false,
  turnId: 'turn-1',
  reminders: 2,
};

test('what waits outlives a gateway, and not the agent', () => {
  const rest = ['Running, and is interrupted: turn-1', 'Lost with it: 2 reminders'];
  expect(endedWorkLines(work, 'gateway')).toEqual([
    'Stays queued for the next gateway: gwreq-1, gwreq-2',
    ...rest,
  ]);
  expect(endedWorkLines(work, 'agent')).toEqual(['Queued, and will not run: gwreq-1, gwreq-2', ...rest]);
});

test('nothing is said of nothing; more than a page is said to be more', () => {
  const idle = { waiting: [], hasMoreWaiting: false, turnId: null, reminders: 0 };
  expect(endedWorkLines(idle, 'gateway')).toEqual([]);
  expect(endedWorkLines({ ...work, hasMoreWaiting: true, turnId: null, reminders: 1 }, 'gateway')).toEqual([
    'Stays queued for the next gateway: gwreq-1, gwreq-2 and more',
    'Lost with it: 1 reminder',
  ]);
});
