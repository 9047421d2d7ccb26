import { expect, test } from 'vitest';
import { deliveredState, stateFromBoxes } from '../../../../../src/mail/filesystem/mailbox/state-defaults.js';

const facts = { message_id: 'm', thread_id: 't', created_at_utc: '2026-01-01T00:00:00Z', subject: 's' };

test('what was received is unread in the inbox, what was only sent is read in its box', () => {
  expect(deliveredState(facts, true)).toMatchObject({ is_read: 0, is_archived: 0, box_name: 'inbox' });
  expect(deliveredState(facts, false)).toMatchObject({ is_read: 1, is_archived: 0, box_name: 'sent' });
});

test.each([
  [['inbox'], 'inbox', 0, 0],
  [['sent', 'inbox'], 'inbox', 0, 0],
  [['archive', 'inbox'], 'inbox', 0, 0],
  [['sent'], 'sent', 1, 0],
  [['archive', 'sent'], 'sent', 1, 1],
  [['archive'], 'archive', 1, 1],
  [['later', 'archive'], 'archive', 1, 1],
  [['zoo', 'later'], 'later', 1, 0],
] as const)('boxes %j: %s, read %i, archived %i', (boxes, box_name, is_read, is_archived) => {
  expect(stateFromBoxes(facts, boxes)).toEqual({
    ...facts,
    box_name,
    is_read,
    is_archived,
    is_answered: 0,
    is_starred: 0,
    is_deleted: 0,
  });
});
