import type { Store } from '../../storage/store.js';
import { installedSkills } from './installed-skills.js';
import { NotifierBook } from './notifier-book.js';
import { NotifierLoop, type NotifierLoopParts } from './notifier-loop.js';
import { notifierPrompt } from './notifier-prompt.js';
import { NotifierService } from './notifier-service.js';
import { NotifierTable } from './notifier-table.js';

export interface MailNotifierParts extends Omit<NotifierLoopParts, 'book' | 'prompt'> {
  store: Store;
  /** The home folder of its tool, in which skills are. */
  home: string;
  /** Of this gateway, on 127.0.0.1. */
  port: number;
}

/** What wakes the agent when mail comes: its settings for callers, and the loop that looks. */
export class MailNotifier {
  readonly service: NotifierService;
  readonly loop: NotifierLoop;

  constructor({ store, home, port, ...parts }: MailNotifierParts) {
    const { tool, target } = parts;
    const book = new NotifierBook(new NotifierTable(store), parts.journal);
    this.loop = new NotifierLoop({
      ...{ ...parts, book },
      prompt: (settings, notices) =>
        notifierPrompt({
          ...{ settings, notices, tool, skills: installedSkills(tool, home) },
          gatewayUrl: `http://127.0.0.1:${port}`,
        }),
    });
    const { journal, mailbox } = parts;
    this.service = new NotifierService({ book, journal, mailbox, target, wakeLoop: () => this.loop.wake() });
  }
}
