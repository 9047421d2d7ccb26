import type { Journal } from '../../events/journal.js';
import type { Clock } from '../../foundation/clock.js';
import type { Manifest } from '../../session/manifest-schema.js';
import type { Store } from '../../storage/store.js';
import { MailSubmissionTable } from './mail-submission-table.js';
import { CallStamps } from './message-stamps.js';
import { SessionMailbox } from './session-mailbox.js';

/** The agent's mail: its mailbox, and which messages were begun. */
export class SessionMail {
  readonly mailbox: SessionMailbox;
  readonly stamps: CallStamps;
  readonly keys: MailSubmissionTable;

  constructor(parts: { manifest: () => Manifest; store: Store; journal: Journal; clock: Clock }) {
    const { manifest, store, journal, clock } = parts;
    this.mailbox = new SessionMailbox(manifest, clock);
    this.keys = new MailSubmissionTable(store);
    this.stamps = new CallStamps({ journal, table: this.keys, clock });
  }

  close(): void {
    this.mailbox.close();
  }
}
