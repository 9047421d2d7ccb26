import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import { sanitiseLine } from '../../foundation/text.js';
import { type MessageDraft, oneLine } from '../message/compose.js';
import { MailFault, MailRefusal } from '../message/mail-fault.js';
import type { Attachment } from '../message/mail-message.js';
import { attachmentIdOf } from '../message/message-id.js';
import type { MessageStamp, OutgoingMail } from './mail-transport.js';

/** Makes the content of a message, and reads its files. @throws {MailRefusal} @throws {MailFault} `attachment_unusable` */
export async function outgoingDraft(
  { attachments, ...mail }: OutgoingMail,
  { messageId }: Pick<MessageStamp, 'messageId'>,
): Promise<MessageDraft> {
  const attached = [];
  for (const [index, file] of attachments.entries())
    attached.push(await attachFile(file, attachmentIdOf(messageId, index), `attachments[${index}]`));
  const { body, notifyBlock, notifyAuth } = mail;
  return { body, notifyBlock, notifyAuth, attachments: attached };
}

/**
 * Describes a file as an attachment. It is read once, for its size and digest, and stays where it is: so the sender must be able
 * to read it, and its content must end.
 * @param attachmentId by {@link attachmentIdOf}.
 * @param field the name in refusals, such as `attachments[0]`.
 * @throws {MailRefusal} for a path or label that no file could have.
 * @throws {MailFault} `attachment_unusable` for the file in its present state.
 */
export async function attachFile(
  given: { path: string; label: string | null },
  attachmentId: string,
  field: string,
): Promise<Attachment> {
  const refuse = (rule: string): never => {
    throw new MailFault('attachment_unusable', `${field}.path: ${rule}`);
  };
  if (!isAbsolute(oneLine(given.path, `${field}.path`)))
    throw new MailRefusal(`${field}.path`, 'must be an absolute path');
  const label = given.label === null ? null : oneLine(given.label, `${field}.label`);
  try {
    const path = await realpath(given.path);
    if (oneLine(path, `${field}.path`) !== path)
      refuse('must not end with a blank, which the format does not keep');
    return {
      attachmentId,
      kind: 'path_ref',
      path,
      mediaType: mediaTypeOf(path),
      ...(await fileDigest(path, refuse)),
      label: label ?? sanitiseLine(basename(path)),
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof MailRefusal || error instanceof MailFault || code === undefined) throw error;
    return refuse(`cannot be read (${code})`);
  }
}

interface FileDigest {
  sizeBytes: number;
  /** In hex. */
  sha256: string;
}

/**
 * Reads a regular file once. The file is opened without blocking, as a pipe without a writer would block for ever, and without
 * following a link, as a real path contains none.
 * @param refuse throws for a file that cannot be read, with the rule that it breaks.
 */
export async function fileDigest(path: string, refuse: (rule: string) => never): Promise<FileDigest> {
  let file: FileHandle | null = null;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    if (!(await file.stat()).isFile()) refuse('must be a regular file');
    const hash = createHash('sha256');
    let sizeBytes = 0;
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      hash.update(chunk as Buffer);
      sizeBytes += (chunk as Buffer).length;
    }
    return { sha256: hash.digest('hex'), sizeBytes };
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    return refuse(`cannot be read (${code})`);
  } finally {
    await file?.close();
  }
}

/** Media types of the files that mail is likely to carry; a guess by the name, as the content is not examined. */
const types: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  log: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  htm: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  xml: 'text/xml',
  py: 'text/x-python',
  c: 'text/x-c',
  h: 'text/x-c',
  json: 'application/json',
  pdf: 'application/pdf',
  zip: 'application/zip',
  tar: 'application/x-tar',
  gz: 'application/gzip',
  sh: 'application/x-sh',
  wasm: 'application/wasm',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  svg: 'image/svg+xml',
  webp: 'image/webp',
  bmp: 'image/bmp',
  mp3: 'audio/mpeg',
  wav: 'audio/x-wav',
  mp4: 'video/mp4',
  webm: 'video/webm',
};

function mediaTypeOf(fileName: string): string {
  const extension = /\.([A-Za-z0-9]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(types, extension) ? (types[extension] ?? '') : 'application/octet-stream';
}
