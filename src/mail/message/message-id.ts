import { createHash } from 'node:crypto';
import { newUuid } from '../../foundation/ids.js';
import { MailFault, MailRefusal } from './mail-fault.js';

const stampPattern = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)?Z$/;

/** Writes `2026-03-13T09:15:30Z`: whole seconds with a `Z`. */
export const toMailStamp = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;

/** Writes `20260313T091530Z`, for names of files and ids. */
export const toCompactMailStamp = (date: Date): string => toMailStamp(date).replace(/[-:]/g, '');

/** Returns a moment in the canonical form, without its fraction; null where the text is none. */
export function parseMailStamp(text: string): string | null {
  const [, day, time] = stampPattern.exec(text) ?? [];
  const stamp = `${day}T${time}Z`;
  // February has no 30th: the engine would make a day in March of it.
  const date = new Date(stamp);
  return Number.isNaN(date.getTime()) || toMailStamp(date) !== stamp ? null : stamp;
}

const pattern = /^msg-\d{8}T\d{6}Z-[0-9a-f]{32}$/;
const refPrefix = 'filesystem';

/** Makes 32 random hexadecimal digits. */
export const newHexId = (): string => newUuid().replaceAll('-', '');

/**
 * Makes an id. Later messages have greater ids, also within one second, where their stamps are equal: the
 * digits begin with the milliseconds.
 * @param now the same reading of the clock as the message's `created_at_utc`.
 */
export function newMessageId(now: Date): string {
  const milliseconds = now.getTime().toString(16).padStart(12, '0');
  return `msg-${toCompactMailStamp(now)}-${milliseconds}${newHexId().slice(12)}`;
}

/**
 * Returns an id that is always the same for a file of a message, also when the message is sent again,
 * and differs for every other file.
 */
export function attachmentIdOf(messageId: string, index: number): string {
  const digest = createHash('sha256').update(`${messageId}/${index}`).digest('hex');
  return `att-${digest.slice(0, 12)}`;
}

/** Checks the shape only: neither the calendar nor the kind of UUID. */
export const isMessageId = (text: string): boolean => pattern.test(text);

/** Returns the reference by which callers name a message or a thread of this transport. */
export const toMailRef = (id: string): string => `${refPrefix}:${id}`;

/** @throws {MailRefusal} where it names no message of any kind. @throws {MailFault} where it belongs to another transport. */
export function parseMailRef(ref: string, field: string): string {
  const id = idInRef(ref, refPrefix, field);
  if (!isMessageId(id))
    throw new MailRefusal(
      field,
      `${JSON.stringify(ref)} names no message; a list of the mailbox has the references`,
    );
  return id;
}

/**
 * Returns the id in a reference to a message; a reference without a prefix is taken as the id.
 * @param prefix of the transport whose messages are meant.
 * @throws {MailFault} where the reference belongs to another transport.
 */
export function idInRef(ref: string, prefix: string, field: string): string {
  const text = ref.trim();
  const colon = text.indexOf(':');
  if (colon !== -1 && text.slice(0, colon) !== prefix)
    throw new MailFault('message_unknown', `${field}: a message here begins with ${prefix}:`);
  return text.slice(colon + 1);
}
