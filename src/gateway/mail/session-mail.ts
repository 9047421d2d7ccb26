import { createHash } from 'node:crypto';
import type { Journal } from '../../events/journal.js';
import type { Clock } from '../../foundation/clock.js';
import { toSortedJson } from '../../foundation/json-text.js';
import { fixedStamps, freshStamp } from '../../mail/facade/mail-facade.js';
import { MailRefusal } from '../../mail/message/mail-fault.js';
import type { MailboxBinding } from '../../mail/open-transport.js';
import type { MessageStamp, MessageStamps } from '../../mail/transport/mail-transport.js';
import type { Manifest } from '../../session/manifest-schema.js';
import type { SessionPaths } from '../../session/session-paths.js';
import { sessionCredentials } from '../../session/session-secrets.js';
import type { Statement, Store, TableSchema } from '../../storage/store.js';
import { SessionMailbox } from './session-mailbox.js';

/** The call that a key stands for, and the message that was, or is to be, made for it. */
export interface MailSubmissionRow {
  operation: string;
  body_digest: string;
  message_id: string;
  /** Milliseconds since 1970. */
  at: number;
}

export const mailSubmissionSchema: TableSchema = {
  tables: `
CREATE TABLE IF NOT EXISTS mail_submission (
  key TEXT PRIMARY KEY,
  operation TEXT NOT NULL,
  body_digest TEXT NOT NULL,
  message_id TEXT NOT NULL,
  at INTEGER NOT NULL
) WITHOUT ROWID;
`,
};

/** The `mail_submission` table: an Idempotency-Key and its message (docs/decisions.md#idempotency-keys-of-mail). */
export class MailSubmissionTable {
  readonly #find: Statement<[string], MailSubmissionRow>;
  readonly #insert: Statement<[string, string, string, string, number]>;
  readonly #forget: Statement<[number, number]>;

  constructor(store: Store) {
    this.#find = store.prepare(
      'SELECT operation, body_digest, message_id, at FROM mail_submission WHERE key = ?',
    );
    this.#insert = store.prepare(
      'INSERT INTO mail_submission (key, operation, body_digest, message_id, at) VALUES (?, ?, ?, ?, ?)',
    );
    this.#forget = store.prepare(
      'DELETE FROM mail_submission WHERE key IN (SELECT key FROM mail_submission WHERE at < ? LIMIT ?)',
    );
  }

  find(key: string): MailSubmissionRow | null {
    return this.#find.get(key) ?? null;
  }
  insert(key: string, { operation, body_digest, message_id, at }: MailSubmissionRow): void {
    this.#insert.run(key, operation, body_digest, message_id, at);
  }
  /**
   * @returns how many were forgotten, `most` at most.
   * @param before milliseconds since 1970.
   */
  forget(before: number, most: number): number {
    return this.#forget.run(before, most).changes;
  }
}

/** The agent's mail: its mailbox, and the record of the messages that were begun. */
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

interface MessageStampParts {
  journal: Journal;
  table: MailSubmissionTable;
  clock: Clock;
}

/** A call that makes a message: a key always stands for the same operation, mailbox and body. */
export interface OutgoingMailCall {
  /** Null for a call that is not to be repeated. */
  key: string | null;
  operation: string;
  mailbox: MailboxBinding;
  body: unknown;
}

/**
 * The choice of the message for a call. With a key the choice is on disk before the message is, and every repetition gets
 * the same one.
 */
class CallStamps {
  readonly #parts: MessageStampParts;

  constructor(parts: MessageStampParts) {
    this.#parts = parts;
  }

  of(call: OutgoingMailCall): MessageStamps {
    const { journal, table, clock } = this.#parts;
    const { key } = call;
    if (key === null) return fixedStamps(freshStamp(clock.now()));
    const keep = this.#keeper(call, key);
    return {
      chosen: async () => {
        const stamp = freshStamp(clock.now());
        const isKnown = journal.read(() => table.find(key)) !== null;
        // A choice that another call has written may not be on disk yet.
        return isKnown ? keep(stamp) : stamp;
      },
      keep,
    };
  }

  #keeper(call: OutgoingMailCall, key: string): MessageStamps['keep'] {
    const { journal, table } = this.#parts;
    const { operation } = call;
    const digest = digestOf(call);
    const kept = (stamp: MessageStamp): MessageStamp => {
      const earlier = table.find(key);
      if (earlier === null) {
        table.insert(key, { operation, body_digest: digest, message_id: stamp.messageId, at: stamp.at });
        return stamp;
      }
      if (earlier.operation !== operation || earlier.body_digest !== digest)
        throw new MailRefusal('Idempotency-Key', 'was used before with another body or mailbox');
      return { messageId: earlier.message_id, at: earlier.at, again: true };
    };
    return (stamp) => journal.write(() => kept(stamp));
  }
}

/**
 * Digests the mailbox together with the body: another mailbox does not know what was sent under a key, and would deliver
 * it again.
 */
function digestOf({ mailbox, body }: OutgoingMailCall): string {
  const { transport, principal_id, address } = mailbox;
  const place = mailbox.transport === 'filesystem' ? mailbox.filesystem_root : mailbox.jmap_url;
  const subject = { mailbox: { transport, principal_id, address, place }, body };
  return createHash('sha256').update(toSortedJson(subject)).digest('hex');
}
