import { toJsonLine } from '../../../foundation/json-text.js';
import type { Attachment, MailMessage, Principal } from '../../message/mail-message.js';
import type { SharedDatabase } from '../root/shared-database.js';

/** A row of `messages`: the path of a message's file, and the message as it was at its delivery. */
export interface MessageRow {
  message_id: string;
  thread_id: string;
  in_reply_to: string | null;
  created_at_utc: string;
  canonical_path: string;
  subject: string;
  /** The whole document, in spite of the name. */
  body_markdown: string;
  headers_json: string;
  sender_principal_id: string;
  sender_address: string;
  sender_display_name: string | null;
  sender_manifest_path_hint: string | null;
  sender_role: string | null;
  sender_registration_id: string | null;
}

export interface RecipientRow {
  message_id: string;
  recipient_kind: 'to' | 'cc';
  /** Counts through both kinds, from 0. */
  ordinal: number;
  address: string;
  owner_principal_id: string;
  display_name: string | null;
  manifest_path_hint: string | null;
  role: string | null;
  delivered_registration_id: string | null;
}

/** A row of `attachments`, with its position among those of a message. */
export interface AttachmentRow {
  attachment_id: string;
  kind: string;
  locator: string;
  media_type: string;
  sha256: string | null;
  size_bytes: number | null;
  label: string | null;
  ordinal: number;
}

/** The place of a message, for code that only has its id. */
export type MessagePlace = Pick<
  MessageRow,
  'message_id' | 'thread_id' | 'created_at_utc' | 'canonical_path' | 'subject'
>;

/** The columns of a message that an export writes. */
export type MessageHeading = Omit<
  MessageRow,
  'body_markdown' | 'headers_json' | 'sender_display_name' | 'sender_manifest_path_hint' | 'sender_role'
>;

/** An attachment with the message that it belongs to. */
export type LinkedAttachment = AttachmentRow & { message_id: string };

export const messageTables = `
CREATE TABLE IF NOT EXISTS messages (
  message_id TEXT PRIMARY KEY,
  thread_id TEXT NOT NULL,
  in_reply_to TEXT,
  created_at_utc TEXT NOT NULL,
  canonical_path TEXT NOT NULL,
  subject TEXT NOT NULL,
  body_markdown TEXT NOT NULL,
  headers_json TEXT NOT NULL DEFAULT '{}',
  sender_principal_id TEXT NOT NULL,
  sender_address TEXT NOT NULL,
  sender_display_name TEXT,
  sender_manifest_path_hint TEXT,
  sender_role TEXT,
  sender_registration_id TEXT
);
CREATE INDEX IF NOT EXISTS idx_messages_thread_id ON messages (thread_id);
CREATE TABLE IF NOT EXISTS message_recipients (
  message_id TEXT NOT NULL REFERENCES messages (message_id) ON DELETE CASCADE,
  recipient_kind TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  address TEXT NOT NULL,
  owner_principal_id TEXT NOT NULL,
  display_name TEXT,
  manifest_path_hint TEXT,
  role TEXT,
  delivered_registration_id TEXT,
  PRIMARY KEY (message_id, recipient_kind, ordinal)
);
CREATE INDEX IF NOT EXISTS idx_recipients_address ON message_recipients (address);
CREATE TABLE IF NOT EXISTS attachments (
  attachment_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  locator TEXT NOT NULL,
  media_type TEXT NOT NULL,
  sha256 TEXT,
  size_bytes INTEGER,
  label TEXT
);
CREATE TABLE IF NOT EXISTS message_attachments (
  message_id TEXT NOT NULL REFERENCES messages (message_id) ON DELETE CASCADE,
  attachment_id TEXT NOT NULL REFERENCES attachments (attachment_id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  PRIMARY KEY (message_id, attachment_id)
);
`;

/** `messages` and the tables that belong to it, one statement per method. */
export class MessageTable {
  readonly #database: SharedDatabase;

  constructor(database: SharedDatabase) {
    this.#database = database;
  }

  place(messageId: string): MessagePlace | undefined {
    return this.#database
      .prepare<[string], MessagePlace>(
        'SELECT message_id, thread_id, created_at_utc, canonical_path, subject FROM messages WHERE message_id = ?',
      )
      .get(messageId);
  }

  get(messageId: string): MessageRow | undefined {
    return this.#database
      .prepare<[string], MessageRow>('SELECT * FROM messages WHERE message_id = ?')
      .get(messageId);
  }

  recipients(messageId: string): RecipientRow[] {
    return this.#database
      .prepare<[string], RecipientRow>(
        'SELECT * FROM message_recipients WHERE message_id = ? ORDER BY ordinal',
      )
      .all(messageId);
  }

  attachments(messageId: string): AttachmentRow[] {
    return this.#database
      .prepare<[string], AttachmentRow>(`
SELECT a.*, link.ordinal FROM message_attachments link JOIN attachments a USING (attachment_id)
WHERE link.message_id = ? ORDER BY link.ordinal`)
      .all(messageId);
  }

  /** Returns every message, the oldest first. */
  headings(): MessageHeading[] {
    return this.#database
      .prepare<[], MessageHeading>(`
SELECT message_id, thread_id, in_reply_to, created_at_utc, canonical_path, subject, sender_principal_id, sender_address,
  sender_registration_id FROM messages ORDER BY created_at_utc, message_id`)
      .all();
  }

  /** Returns the attachments of every message. */
  allAttachments(): LinkedAttachment[] {
    return this.#database
      .prepare<[], LinkedAttachment>(`
SELECT a.*, link.ordinal, link.message_id FROM message_attachments link JOIN attachments a USING (attachment_id)
ORDER BY link.message_id, link.ordinal`)
      .all();
  }

  ids(): string[] {
    return this.#database
      .prepare<[], { message_id: string }>('SELECT message_id FROM messages')
      .all()
      .map((row) => row.message_id);
  }

  hasAttachment(attachmentId: string): boolean {
    return (
      this.#database
        .prepare<[string]>('SELECT 1 FROM attachments WHERE attachment_id = ?')
        .get(attachmentId) !== undefined
    );
  }

  setPath(messageId: string, path: string): void {
    this.#database
      .prepare<[string, string]>('UPDATE messages SET canonical_path = ? WHERE message_id = ?')
      .run(path, messageId);
  }

  delete(messageId: string): void {
    this.#database.prepare<[string]>('DELETE FROM messages WHERE message_id = ?').run(messageId);
  }

  /** Deletes the attachments that no message has any more. */
  deleteUnlinkedAttachments(): void {
    this.#database
      .prepare(
        'DELETE FROM attachments WHERE attachment_id NOT IN (SELECT attachment_id FROM message_attachments)',
      )
      .run();
  }

  /** Deletes all messages with their recipients, links and attachments. */
  deleteAll(): void {
    this.#database.prepare('DELETE FROM messages').run();
    this.#database.prepare('DELETE FROM attachments').run();
  }

  insert(row: MessageRow): void {
    this.#database
      .prepare<[MessageRow]>(`
INSERT INTO messages VALUES (
  @message_id, @thread_id, @in_reply_to, @created_at_utc, @canonical_path, @subject, @body_markdown, @headers_json,
  @sender_principal_id, @sender_address, @sender_display_name, @sender_manifest_path_hint, @sender_role,
  @sender_registration_id)`)
      .run(row);
  }

  insertRecipient(row: RecipientRow): void {
    this.#database
      .prepare<[RecipientRow]>(`
INSERT INTO message_recipients VALUES (
  @message_id, @recipient_kind, @ordinal, @address, @owner_principal_id, @display_name, @manifest_path_hint, @role,
  @delivered_registration_id)`)
      .run(row);
  }

  insertAttachment({ attachmentId, kind, path, mediaType, sha256, sizeBytes, label }: Attachment): void {
    this.#database
      .prepare<[string, string, string, string, string | null, number | null, string | null]>(
        'INSERT INTO attachments VALUES (?, ?, ?, ?, ?, ?, ?)',
      )
      .run(attachmentId, kind, path, mediaType, sha256, sizeBytes, label);
  }

  linkAttachment(messageId: string, attachmentId: string, ordinal: number): void {
    this.#database
      .prepare<[string, string, number]>('INSERT INTO message_attachments VALUES (?, ?, ?)')
      .run(messageId, attachmentId, ordinal);
  }
}

/** @param document the text of the file. */
export const messageRow = (
  message: MailMessage,
  {
    path,
    document,
    senderRegistration,
  }: { path: string; document: string; senderRegistration: string | null },
): MessageRow => ({
  message_id: message.messageId,
  thread_id: message.threadId,
  in_reply_to: message.inReplyTo,
  created_at_utc: message.createdAtUtc,
  canonical_path: path,
  subject: message.subject,
  body_markdown: document,
  headers_json: toJsonLine(message.headers),
  sender_principal_id: message.from.principalId,
  sender_address: message.from.address,
  sender_display_name: message.from.displayName,
  sender_manifest_path_hint: message.from.manifestPathHint,
  sender_role: message.from.role,
  sender_registration_id: senderRegistration,
});

/** @param registrationOf returns the registration that the message was delivered to, by address; null where there was none. */
export function recipientRows(
  message: MailMessage,
  registrationOf: (address: string) => string | null,
): RecipientRow[] {
  const row =
    (recipient_kind: 'to' | 'cc', first: number) =>
    (of: Principal, index: number): RecipientRow => ({
      message_id: message.messageId,
      recipient_kind,
      ordinal: first + index,
      address: of.address,
      owner_principal_id: of.principalId,
      display_name: of.displayName,
      manifest_path_hint: of.manifestPathHint,
      role: of.role,
      delivered_registration_id: registrationOf(of.address),
    });
  return [...message.to.map(row('to', 0)), ...message.cc.map(row('cc', message.to.length))];
}
