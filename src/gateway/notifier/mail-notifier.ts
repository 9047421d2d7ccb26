import type { Store } from '../../storage/store.js';
import type { SessionMailbox } from '../mail/session-mailbox.js';
import type { StaleNotice } from '../requests/worker.js';
import { Inbox } from './inbox.js';
import { installedSkills } from './installed-skills.js';
import { NotifierBook } from './notifier-book.js';
import { NotifierLoop, type NotifierLoopParts } from './notifier-loop.js';
import { notifierPrompt } from './notifier-prompt.js';
import { NotifierService } from './notifier-service.js';
import { NotifierTable } from './notifier-table.js';
import { ServedMailbox } from './served-mailbox.js';
import { staleNotice } from './stale-notice.js';

export interface MailNotifierParts extends Omit<NotifierLoopParts, 'book' | 'prompt' | 'mailbox' | 'inbox'> {
  store: Store;
  mailbox: SessionMailbox;
  /** The home folder of its tool, in which skills are. */
  home: string;
  /** On which this gateway listens. */
  host: string;
  /** Of this gateway, on 127.0.0.1. */
  port: number;
}

/** What wakes the agent when mail comes: its settings for callers, and the loop that looks. */
export class MailNotifier {
  readonly service: NotifierService;
  readonly loop: NotifierLoop;
  readonly table: NotifierTable;
  /** Why a prompt of its own that was queued need not go any more; null while it should. */
  readonly stale: () => Promise<StaleNotice | null>;

  constructor({ store, home, host, port, ...parts }: MailNotifierParts) {
    const { tool, target, journal } = parts;
    this.table = new NotifierTable(store);
    const book = new NotifierBook(this.table, journal);
    const mailbox = new ServedMailbox(parts.mailbox, host);
    const inbox = new Inbox(mailbox);
    this.loop = new NotifierLoop({
      ...{ ...parts, book, mailbox, inbox },
      prompt: (settings, notices) =>
        notifierPrompt({
          ...{ settings, notices, tool, skills: installedSkills(tool, home) },
          gatewayUrl: `http://127.0.0.1:${port}`,
        }),
    });
    this.service = new NotifierService({
      ...{ book, journal, mailbox, inbox, target },
      wakeLoop: () => this.loop.wake(),
    });
    this.stale = () => staleNotice({ book, mailbox, inbox });
  }
}
