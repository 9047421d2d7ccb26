import { MailRefusal } from './mail-fault.js';
import {
  type Attachment,
  type MailMessage,
  type NotifyAuth,
  type NotifyBlock,
  type Principal,
  protocolVersion,
} from './mail-message.js';
import { isMessageId, parseMailStamp } from './message-id.js';
import { parseAddress } from './names.js';
import { json, listOf, MappingReader, oneOf, orNull, size, string, text } from './node-fields.js';
import { authSchemes, type NotifyAuthInput, notifyAuth, notifyBlock } from './notice.js';
import type { YamlNode } from './yaml-reader.js';

const refuse = (field: string, rule: string): never => {
  throw new MailRefusal(field, rule);
};

function principal(node: YamlNode, field: string): Principal {
  const fields = new MappingReader(node, field);
  const read: Principal = {
    principalId: fields.required('principal_id', text),
    address: fields.required('address', (value, name) => parseAddress(string(value, name), name)),
    displayName: fields.optional('display_name', orNull(text), null),
    manifestPathHint: fields.optional('manifest_path_hint', orNull(text), null),
    role: fields.optional('role', orNull(text), null),
  };
  fields.close();
  return read;
}

function digest(node: YamlNode, field: string): string {
  const value = text(node, field).toLowerCase();
  return /^[0-9a-f]{64}$/.test(value) ? value : refuse(field, 'must be 64 hexadecimal digits');
}

function attachment(node: YamlNode, field: string): Attachment {
  const fields = new MappingReader(node, field);
  const read: Attachment = {
    attachmentId: fields.required('attachment_id', text),
    kind: fields.required('kind', oneOf('path_ref', 'managed_copy')),
    path: fields.required('path', text),
    mediaType: fields.required('media_type', text),
    sha256: fields.optional('sha256', orNull(digest), null),
    sizeBytes: fields.optional('size_bytes', orNull(size), null),
    label: fields.optional('label', orNull(text), null),
  };
  fields.close();
  if (read.kind === 'path_ref' && !read.path.startsWith('/')) refuse(`${field}.path`, 'must begin with /');
  return read;
}

function block(node: YamlNode, field: string): NotifyBlock {
  const fields = new MappingReader(node, field);
  const noticed = fields.required('text', string);
  const placement = fields.optional('placement', oneOf('append', 'prepend'), 'append' as const);
  fields.close();
  return notifyBlock(noticed, placement, field);
}

function auth(node: YamlNode, field: string): NotifyAuth {
  const fields = new MappingReader(node, field);
  const read: NotifyAuthInput = {
    scheme: fields.optional('scheme', oneOf(...authSchemes), 'none' as const),
    token: fields.optional('token', orNull(string), null),
    iss: fields.optional('iss', orNull(string), null),
    iat: fields.optional('iat', orNull(string), null),
    exp: fields.optional('exp', orNull(string), null),
  };
  fields.close();
  return notifyAuth(read, field);
}

function id(node: YamlNode, field: string): string {
  const value = text(node, field);
  return isMessageId(value) ? value : refuse(field, 'must be a message id');
}

function stamp(node: YamlNode, field: string): string {
  return parseMailStamp(string(node, field).trim()) ?? refuse(field, 'must be a UTC time that ends with Z');
}

function version(node: YamlNode, field: string): number {
  return node.is === 'integer' && node.value === protocolVersion
    ? protocolVersion
    : refuse(field, `must be the integer ${protocolVersion}`);
}

function headers(node: YamlNode, field: string): MailMessage['headers'] {
  if (node.is !== 'map') return refuse(field, 'must be a mapping');
  for (const key of node.entries.keys()) if (key.trim() === '') refuse(field, 'has a blank key');
  return json(node, field) as MailMessage['headers'];
}

function threading({ messageId, threadId, inReplyTo, references }: Omit<MailMessage, 'body'>): void {
  if (inReplyTo !== null) {
    if (references.at(-1) !== inReplyTo) refuse('references', 'must end with in_reply_to');
    return;
  }
  if (threadId !== messageId) refuse('thread_id', 'must be the message_id of a message that is not a reply');
  if (references.length > 0) refuse('references', 'must be empty in a message that is not a reply');
}

/** Reads a front matter strictly: no unknown keys, and no type is converted into another. @throws {MailRefusal} */
export function readFrontMatter(node: YamlNode): Omit<MailMessage, 'body'> {
  const fields = new MappingReader(node);
  fields.optional('protocol_version', version, protocolVersion);
  // The older implementation reads both keys; its own files have only `from`.
  const sender = fields.has('from') ? 'from' : 'sender';
  const read: Omit<MailMessage, 'body'> = {
    messageId: fields.required('message_id', id),
    threadId: fields.required('thread_id', id),
    inReplyTo: fields.optional('in_reply_to', orNull(id), null),
    references: fields.optional('references', listOf(id), []),
    createdAtUtc: fields.required('created_at_utc', stamp),
    from: fields.required(sender, principal),
    to: fields.required('to', listOf(principal)),
    cc: fields.optional('cc', listOf(principal), []),
    replyTo: fields.optional('reply_to', listOf(principal), []),
    subject: fields.required('subject', text),
    attachments: fields.optional('attachments', listOf(attachment), []),
    headers: fields.optional('headers', headers, {}),
    notifyBlock: fields.optional('notify_block', orNull(block), null),
    notifyAuth: fields.optional('notify_auth', orNull(auth), null),
  };
  fields.close();
  if (read.to.length === 0) refuse('to', 'must have a recipient');
  threading(read);
  return read;
}
