import { createHash } from 'node:crypto';
import { newUuid } from '../../foundation/ids.js';
import { idInRef } from './mail-ref.js';
import { MailRefusal } from './mail-refusal.js';
import { toCompactMailStamp } from './mail-time.js';

const pattern = /^msg-\d{8}T\d{6}Z-[0-9a-f]{32}$/;
const refPrefix = 'filesystem';

/** 32 hexadecimal digits. */
export const newHexId = (): string => newUuid().replaceAll('-', '');

/**
 * Later messages have greater ids, also within a second, which is all that stamps tell apart: the digits begin with the
 * milliseconds.
 * @param now the same reading of the clock as the message's `created_at_utc`.
 */
export function newMessageId(now: Date): string {
  const milliseconds = now.getTime().toString(16).padStart(12, '0');
  return `msg-${toCompactMailStamp(now)}-${milliseconds}${newHexId().slice(12)}`;
}

/** The same for the same file of the same message, whoever sends it again, and another one for every other. */
export function attachmentIdOf(messageId: string, index: number): string {
  const digest = createHash('sha256').update(`${messageId}/${index}`).digest('hex');
  return `att-${digest.slice(0, 12)}`;
}

/** Only the shape counts: neither the calendar nor the kind of UUID. */
export const isMessageId = (text: string): boolean => pattern.test(text);

/** How callers name a message or a thread of this transport. */
export const toMailRef = (id: string): string => `${refPrefix}:${id}`;

/** @throws {MailRefusal} where it names no message of any kind. @throws {MailFault} where it is another transport's. */
export function parseMailRef(ref: string, field: string): string {
  const id = idInRef(ref, refPrefix, field);
  if (!isMessageId(id))
    throw new MailRefusal(
      field,
      `${JSON.stringify(ref)} names no message; a list of the mailbox has the references`,
    );
  return id;
}
