import { MailRefusal } from './mail-fault.js';
import {
  type Attachment,
  type JsonValue,
  type MailMessage,
  type NotifyAuth,
  type NotifyBlock,
  type Principal,
  protocolVersion,
} from './mail-message.js';
import { isWellFormed, withLineFeeds } from './mail-text.js';
import { isMessageId, parseMailStamp } from './message-id.js';
import { parseAddress } from './names.js';
import { authSchemes, type NotifyAuthInput, notifyAuth, notifyBlock } from './notice.js';
import {
  json,
  listOf,
  MappingReader,
  oneOf,
  orNull,
  readYaml,
  size,
  string,
  text,
  type YamlNode,
} from './yaml-reader.js';

const fence = '---\n';

function checkBody(body: string): void {
  if (body.includes('\0')) throw new MailRefusal('body', 'must not contain NUL');
  if (!isWellFormed(body)) throw new MailRefusal('body', 'must be well-formed Unicode');
}

/**
 * Writes the text of a message's file. The text is read back before it is returned, as every reader of YAML would read it: one
 * file that the older implementation cannot read makes the whole list of a mailbox fail there.
 * @throws {MailRefusal} where the message breaks a rule of the format.
 */
export function renderDocument(message: MailMessage): string {
  const body = withLineFeeds(message.body);
  checkBody(body);
  const lines = frontMatter(message).map(([key, value]) => `${key}: ${flowJson(value)}\n`);
  const matter = lines.join('');
  if (!isWellFormed(matter)) throw new MailRefusal('front_matter', 'must be well-formed Unicode');
  readFrontMatter(readYaml(matter));
  return `${fence}${matter}${fence}${body === '' ? '' : `\n${body}`}`;
}

/** Reads the text of a message's file. @throws {MailRefusal} naming the field and the rule. */
export function parseDocument(file: string): MailMessage {
  const text = withLineFeeds(file);
  const end = text.indexOf(`\n${fence}`, fence.length - 1);
  if (!text.startsWith(fence) || end === -1)
    throw new MailRefusal('front_matter', 'must be between two lines of three dashes');
  const matter = text.slice(fence.length, end + 1);
  const rest = text.slice(end + 1 + fence.length);
  const body = rest.startsWith('\n') ? rest.slice(1) : rest;
  checkBody(body);
  return { ...readFrontMatter(readOwnLines(matter) ?? readYaml(matter)), body };
}

const principalJson = (of: Principal): JsonValue => ({
  principal_id: of.principalId,
  address: of.address,
  display_name: of.displayName,
  manifest_path_hint: of.manifestPathHint,
  role: of.role,
});

const attachmentJson = (of: Attachment): JsonValue => ({
  attachment_id: of.attachmentId,
  kind: of.kind,
  path: of.path,
  media_type: of.mediaType,
  sha256: of.sha256,
  size_bytes: of.sizeBytes,
  label: of.label,
});

const blockJson = ({ text, placement }: NotifyBlock): JsonValue => ({ text, placement });

const authJson = ({ scheme, token, iss, iat, exp }: NotifyAuth): JsonValue => ({
  scheme,
  token,
  iss,
  iat,
  exp,
});

/** Returns the front matter's keys in the order of the format. */
const frontMatter = (of: MailMessage): [key: string, value: JsonValue][] => [
  ['protocol_version', protocolVersion],
  ['message_id', of.messageId],
  ['thread_id', of.threadId],
  ['in_reply_to', of.inReplyTo],
  ['references', of.references],
  ['created_at_utc', of.createdAtUtc],
  ['from', principalJson(of.from)],
  ['to', of.to.map(principalJson)],
  ['cc', of.cc.map(principalJson)],
  ['reply_to', of.replyTo.map(principalJson)],
  ['subject', of.subject],
  ['attachments', of.attachments.map(attachmentJson)],
  ['headers', of.headers],
  ['notify_block', of.notifyBlock && blockJson(of.notifyBlock)],
  ['notify_auth', of.notifyAuth && authJson(of.notifyAuth)],
];

// Front matter is written as one line per key, with its value as compact JSON, which YAML 1.1 contains. The YAML library cannot
// write it: it leaves U+007F, C1 controls and line separators raw, which PyYAML refuses or folds, and it does not quote strings
// that only PyYAML would take for another type.

/** Characters that JSON.stringify leaves raw; PyYAML refuses the controls and folds the line separators. */
const leftRaw = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

const flowString = (text: string): string => JSON.stringify(text).replace(leftRaw, escaped);

/** Writes a float with a point: in YAML 1.1, `1e+21` is a string. */
function flowNumber(value: number): string {
  const text = JSON.stringify(value);
  return text.includes('e') && !text.includes('.') ? text.replace('e', '.0e') : text;
}

/** Writes compact JSON that PyYAML reads as the same value. */
function flowJson(value: JsonValue): string {
  if (typeof value === 'string') return flowString(value);
  if (typeof value === 'number') return flowNumber(value);
  if (Array.isArray(value)) return `[${value.map(flowJson).join(',')}]`;
  if (value === null || typeof value === 'boolean') return String(value);
  return `{${Object.entries(value)
    .map(([key, each]) => `${flowString(key)}:${flowJson(each)}`)
    .join(',')}}`;
}

/** Text that JSON and YAML read differently, or that our writer escapes: such a front matter is left to the YAML library. */
const notAlike = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|\de[+-]|\\ud/i;

/**
 * Reads front matter of our own writer without the YAML library, which takes ten times as long. It returns null for anything that
 * our writer would not have written in exactly this form; the library reads that.
 */
function readOwnLines(matter: string): YamlNode | null {
  if (notAlike.test(matter)) return null;
  const entries = new Map<string, YamlNode>();
  for (const line of matter.slice(0, -1).split('\n')) {
    const colon = line.indexOf(': ');
    const text = line.slice(colon + 2);
    const value = colon === -1 ? undefined : parsedJson(text);
    const key = line.slice(0, colon);
    if (value === undefined || !/^[a-z_]+$/.test(key) || entries.has(key)) return null;
    if (JSON.stringify(value) !== text) return null;
    entries.set(key, nodeOf(value));
  }
  return { is: 'map', entries };
}

function parsedJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function nodeOf(value: JsonValue): YamlNode {
  if (value === null) return { is: 'null' };
  if (typeof value === 'string') return { is: 'string', value };
  if (typeof value === 'boolean') return { is: 'boolean', value };
  if (typeof value === 'number') return { is: Number.isInteger(value) ? 'integer' : 'float', value };
  if (Array.isArray(value)) return { is: 'list', items: value.map(nodeOf) };
  return {
    is: 'map',
    entries: new Map(Object.entries(value).map(([key, each]) => [key, nodeOf(each)])),
  };
}

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
