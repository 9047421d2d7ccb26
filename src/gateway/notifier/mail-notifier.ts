import type { Store } from '../../storage/store.js';
import {
  isLostMailbox,
  isMailboxError,
  ServedMailbox,
  type SessionMailbox,
} from '../mail/session-mailbox.js';
import type { StaleNotice } from '../requests/worker.js';
import { Inbox } from './inbox.js';
import { type AuditAmendment, NotifierBook, NotifierTable } from './notifier-book.js';
import { NotifierLoop, type NotifierLoopParts } from './notifier-loop.js';
import { installedSkills, notifierPrompt } from './notifier-prompt.js';
import { NotifierService } from './notifier-service.js';

export interface MailNotifierParts extends Omit<NotifierLoopParts, 'book' | 'prompt' | 'mailbox' | 'inbox'> {
  store: Store;
  mailbox: SessionMailbox;
  /** The home folder of the agent's tool, which contains its skills. */
  home: string;
  /** The address on which this gateway listens. */
  host: string;
  /** The port of this gateway, on 127.0.0.1. */
  port: number;
}

/** The notifier that wakes the agent when mail comes: its settings for callers, and the loop that checks the inbox. */
export class MailNotifier {
  readonly service: NotifierService;
  readonly loop: NotifierLoop;
  readonly table: NotifierTable;
  /** Returns why a notice that was queued need not be sent any more; null while it should be. */
  readonly stale: () => Promise<StaleNotice | null>;

  constructor({ store, home, host, port, ...parts }: MailNotifierParts) {
    const { tool, target, journal } = parts;
    this.table = new NotifierTable(store);
    const book = new NotifierBook(this.table, journal);
    const mailbox = new ServedMailbox(parts.mailbox, host);
    const inbox = new Inbox(mailbox);
    this.loop = new NotifierLoop({
      ...parts,
      book,
      mailbox,
      inbox,
      prompt: (settings, notices) =>
        notifierPrompt({
          settings,
          notices,
          tool,
          skills: installedSkills(tool, home),
          gatewayUrl: `http://127.0.0.1:${port}`,
        }),
    });
    this.service = new NotifierService({
      book,
      journal,
      mailbox,
      inbox,
      target,
      wakeLoop: () => this.loop.wake(),
    });
    this.stale = () => staleNotice({ book, mailbox, inbox });
  }
}

interface StaleNoticeParts {
  book: NotifierBook;
  mailbox: ServedMailbox;
  inbox: Inbox;
}

/**
 * Checks the mail again when the turn of a queued notice has come (docs/decisions.md#stale-notices).
 * @returns null while the notice should be sent.
 */
export async function staleNotice(parts: StaleNoticeParts): Promise<StaleNotice | null> {
  const { book } = parts;
  const found = await amendmentOf(parts);
  return found && { detail: found.detail, dropped: (requestId) => book.table.amendAudit(requestId, found) };
}

/** Returns what the audit says instead; null while the notice should be sent. */
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
    // The notice is sent: the agent will see the fault for itself.
    if (isMailboxError(error)) return null;
    throw error;
  }
}
