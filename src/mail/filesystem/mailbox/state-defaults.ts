import type { MessagePlace } from '../tables/message-table.js';
import type { StateRow } from '../tables/state-table.js';

type Facts = Pick<MessagePlace, 'message_id' | 'thread_id' | 'created_at_utc' | 'subject'>;

const preferred = ['inbox', 'sent', 'archive'];

const row = (of: Facts, box_name: string, isRead: boolean, isArchived: boolean): StateRow => ({
  message_id: of.message_id,
  thread_id: of.thread_id,
  created_at_utc: of.created_at_utc,
  subject: of.subject,
  is_read: isRead ? 1 : 0,
  is_answered: 0,
  is_starred: 0,
  is_archived: isArchived ? 1 : 0,
  is_deleted: 0,
  box_name,
});

/** Returns the state of a message that was just delivered. A message that its recipient sent is there once, in the inbox. */
export const deliveredState = (of: Facts, isRecipient: boolean): StateRow =>
  row(of, isRecipient ? 'inbox' : 'sent', !isRecipient, false);

/** Makes a state from the boxes that a message is in, where the mailbox's own row is missing. */
export function stateFromBoxes(of: Facts, boxes: readonly string[]): StateRow {
  const [box = 'inbox'] = [...preferred.filter((name) => boxes.includes(name)), ...[...boxes].sort()];
  const isArchived = boxes.includes('archive') && !boxes.includes('inbox');
  return row(of, box, !boxes.includes('inbox'), isArchived);
}
