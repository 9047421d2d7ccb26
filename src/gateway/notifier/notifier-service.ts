import type { AgentTarget } from '../../agent/target/agent-target.js';
import type { Journal } from '../../events/journal.js';
import { MailFault } from '../../mail/message/mail-fault.js';
import { isMailboxError, type ServedMailbox } from '../mail/session-mailbox.js';
import type { Inbox, KnownMail } from './inbox.js';
import type { NotifierBook, StoredNotifier } from './notifier-book.js';
import { disabled, type NotifierSettings, type NotifierUpdate, updated } from './notifier-settings.js';

export interface NotifierServiceParts {
  book: NotifierBook;
  journal: Journal;
  mailbox: ServedMailbox;
  inbox: Inbox;
  target: AgentTarget;
  wakeLoop: () => void;
}

/** The notifier, and why this agent cannot be notified now; null when it can. */
export interface NotifierView {
  stored: StoredNotifier;
  supportError: string | null;
}

/** Reads and changes the notifier for callers. */
export class NotifierService {
  readonly #parts: NotifierServiceParts;

  constructor(parts: NotifierServiceParts) {
    this.#parts = parts;
  }

  async read(): Promise<NotifierView> {
    const { book, mailbox, target } = this.#parts;
    const supportError = (await mailboxObstacle(mailbox)) ?? compactObstacle(book.stored.settings, target);
    return { stored: book.stored, supportError };
  }

  /**
   * Stores settings and switches the notifier on. If it was off, or the mailbox is another one, the mail in the inbox
   * counts as known to the agent; mail that comes after the answer is new.
   * @returns the notifier, or the reason of a refusal, with nothing stored.
   */
  async enable(update: NotifierUpdate): Promise<{ refused: string } | NotifierView> {
    const { book, mailbox, inbox, target, journal, wakeLoop } = this.#parts;
    const wanted = updated(book.stored.settings, update);
    const before: KnownMail[] = [];
    const refused =
      (await mailboxObstacle(mailbox, async () => void before.push(await inbox.baseline()))) ??
      compactObstacle(wanted, target);
    if (refused !== null) return { refused };
    await journal.write((atUtc) => {
      const { stored, knownMail } = book;
      for (const baseline of before)
        if (!stored.settings.enabled || knownMail?.mailbox !== baseline.mailbox) book.remember(baseline);
      book.replace(atUtc, {
        ...stored,
        settings: updated(stored.settings, update),
        lastError: null,
        digest: null,
      });
    });
    wakeLoop();
    return { stored: book.stored, supportError: null };
  }

  async disable(): Promise<NotifierView> {
    const { book, mailbox, journal, wakeLoop } = this.#parts;
    await journal.write((atUtc) => {
      const { stored } = book;
      book.replace(atUtc, { ...stored, settings: disabled(stored.settings), lastError: null });
    });
    wakeLoop();
    return { stored: book.stored, supportError: await mailboxObstacle(mailbox) };
  }
}

/**
 * Returns why this agent cannot be notified of mail, for people; null when it can.
 * @param work also has to succeed.
 */
async function mailboxObstacle(
  mailbox: ServedMailbox,
  work: () => Promise<void> = async () => undefined,
): Promise<string | null> {
  if (mailbox.obstacle !== null) return mailbox.obstacle;
  try {
    await mailbox.use(({ transport }) => transport.check());
    await work();
    return null;
  } catch (error) {
    if (!isMailboxError(error)) throw error;
    return error instanceof MailFault
      ? `The mailbox binding is not actionable: ${error.message}`
      : error.message;
  }
}

/** Returns why the agent's conversation cannot be compacted before a notice; null when it can, or need not. */
function compactObstacle(
  { preNotificationContextAction: action }: Pick<NotifierSettings, 'preNotificationContextAction'>,
  { terminal }: Pick<AgentTarget, 'terminal'>,
): string | null {
  if (action !== 'compact') return null;
  if (terminal?.names.tool !== 'codex')
    return 'pre_notification_context_action compact is supported only for live Codex TUI targets.';
  return null;
}
