import type { Journal } from '../../events/journal.js';
import type { Clock } from '../../foundation/clock.js';
import { sessionCredentials } from '../../session/mail-credentials.js';
import type { Manifest } from '../../session/manifest-schema.js';
import type { SessionPaths } from '../../session/session-paths.js';
import type { Store } from '../../storage/store.js';
import { MailSubmissionTable } from './mail-submission-table.js';
import { CallStamps } from './message-stamps.js';
import { SessionMailbox } from './session-mailbox.js';

/** The agent's mail: its mailbox, and which messages were begun. */
export class SessionMail {
  readonly mailbox: SessionMailbox;
  readonly stamps: CallStamps;
  readonly keys: MailSubmissionTable;
  readonly attachmentFolder: string;

  constructor(parts: {
    manifest: () => Manifest;
    paths: SessionPaths;
    store: Store;
    journal: Journal;
    clock: Clock;
  }) {
    const { manifest, paths, store, journal, clock } = parts;
    this.mailbox = new SessionMailbox(manifest, { clock, ...sessionCredentials(paths) });
    this.attachmentFolder = paths.mailAttachments;
    this.keys = new MailSubmissionTable(store);
    this.stamps = new CallStamps({ journal, table: this.keys, clock });
  }

  close(): void {
    this.mailbox.close();
  }
}
