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
import { readFrontMatter } from './read-front-matter.js';
import { readYaml, type YamlNode } from './yaml-reader.js';

const fence = '---\n';

const principal = (of: Principal): JsonValue => ({
  principal_id: of.principalId,
  address: of.address,
  display_name: of.displayName,
  manifest_path_hint: of.manifestPathHint,
  role: of.role,
});

const attachment = (of: Attachment): JsonValue => ({
  attachment_id: of.attachmentId,
  kind: of.kind,
  path: of.path,
  media_type: of.mediaType,
  sha256: of.sha256,
  size_bytes: of.sizeBytes,
  label: of.label,
});

const block = ({ text, placement }: NotifyBlock): JsonValue => ({ text, placement });

const auth = ({ scheme, token, iss, iat, exp }: NotifyAuth): JsonValue => ({ scheme, token, iss, iat, exp });

/** Returns the front matter's keys in the order of the format. */
const frontMatter = (of: MailMessage): [key: string, value: JsonValue][] => [
  ['protocol_version', protocolVersion],
  ['message_id', of.messageId],
  ['thread_id', of.threadId],
  ['in_reply_to', of.inReplyTo],
  ['references', of.references],
  ['created_at_utc', of.createdAtUtc],
  ['from', principal(of.from)],
  ['to', of.to.map(principal)],
  ['cc', of.cc.map(principal)],
  ['reply_to', of.replyTo.map(principal)],
  ['subject', of.subject],
  ['attachments', of.attachments.map(attachment)],
  ['headers', of.headers],
  ['notify_block', of.notifyBlock && block(of.notifyBlock)],
  ['notify_auth', of.notifyAuth && auth(of.notifyAuth)],
];

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
