import type { StaleNotice } from '../requests/worker.js';
import type { Inbox } from './inbox.js';
import type { NotifierBook } from './notifier-book.js';
import { isLostMailbox, isMailboxError } from './notifier-support.js';
import type { AuditAmendment } from './notifier-table.js';
import type { ServedMailbox } from './served-mailbox.js';

export interface StaleNoticeParts {
  book: NotifierBook;
  mailbox: ServedMailbox;
  inbox: Inbox;
}

/** Looks again when the turn of such a prompt has come (docs/decisions.md#stale-notices). @returns null while it should go. */
export async function staleNotice(parts: StaleNoticeParts): Promise<StaleNotice | null> {
  const { book } = parts;
  const found = await amendmentOf(parts);
  return found && { detail: found.detail, dropped: (requestId) => book.table.amendAudit(requestId, found) };
}

/** What the audit says of it instead. */
async function amendmentOf({
  book,
  mailbox,
  inbox,
}: StaleNoticeParts): Promise<(AuditAmendment & { detail: string }) | null> {
  const { settings } = book.stored;
  if (!settings.enabled)
    return { outcome: 'enqueued', detail: 'The notifier was switched off before the prompt went out.' };
  if (mailbox.obstacle !== null) return { outcome: 'poll_error', detail: mailbox.obstacle };
  try {
    const { headings } = await inbox.page(settings, 1);
    return headings.length > 0
      ? null
      : { outcome: 'empty', detail: 'The mail was gone from the inbox before the prompt went out.' };
  } catch (error) {
    if (isLostMailbox(error))
      return { outcome: 'poll_error', detail: "The mailbox is not the agent's any more." };
    // The agent will see for itself.
    if (isMailboxError(error)) return null;
    throw error;
  }
}
