import type { Schemas } from '@houmao/sdk';
import { counted, sanitiseLine } from '../../foundation/text.js';
import type { TimeWords } from './local-time.js';
import { table } from './terminal-output.js';

const longestSubject = 60;

/** Prints a text of other people in one cell, so that it cannot look like a line of ours. */
const cell = (text: string): string => {
  const line = [...sanitiseLine(text)];
  return line.length > longestSubject ? `${line.slice(0, longestSubject).join('')}…` : line.join('');
};

/** Returns words for the flags of a message: `unread`, `answered, archived`. */
function flagsOf({ read, answered, archived }: Schemas['MailMessage']): string {
  const words = [read === false && 'unread', answered && 'answered', archived && 'archived'];
  return words.filter((word) => typeof word === 'string').join(', ') || 'read';
}

/** Prints messages as columns. */
export const messageTable = (messages: readonly Schemas['MailMessage'][], time: TimeWords): string[] =>
  table([
    ['MESSAGE', 'WRITTEN', 'BOX', 'FLAGS', 'FROM', 'SUBJECT'],
    ...messages.map((one) => [
      ...[one.message_ref, time(one.created_at_utc), cell(one.box ?? ''), flagsOf(one)],
      ...[cell(one.sender.address), cell(one.subject)],
    ]),
  ]);

export function listLines(
  { box, messages, damaged = [], unread_count }: Schemas['MailList'],
  time: TimeWords,
): string[] {
  const shown =
    messages.length === 0
      ? [`No mail to show in ${cell(box)}.`]
      : [...messageTable(messages, time), `${messages.length} in ${cell(box)}, ${unread_count} unread`];
  return [
    ...shown,
    ...damaged.map(({ message_ref, detail }) => `${message_ref} cannot be shown: ${sanitiseLine(detail)}`),
  ];
}

const participants = (all: readonly Schemas['MailParticipant'][]): string =>
  all
    .map(({ address, display_name }) => cell(display_name ? `${display_name} <${address}>` : address))
    .join(', ');

const attachmentWords = ({
  locator,
  label,
  attachment_id,
  media_type,
  size_bytes,
}: Schemas['MailAttachment']): string =>
  sanitiseLine(
    `${attachment_id}${locator?.startsWith('/') ? ` ${locator}` : ''}${label ? ` "${label}"` : ''} (${media_type}${size_bytes === null ? '' : `, ${counted(size_bytes, 'byte')}`})`,
  );

/** Prints the path first and alone, for a program that passes it on. */
export const attachedLines = ({ path, unchanged }: Schemas['MailAttachmentResult']): string[] => [
  path,
  ...(unchanged === false ? ['It has changed since it was attached.'] : []),
];

/** Prints one message with its details; its body comes last, after an empty line. */
export function messageLines(one: Schemas['MailMessage'], time: TimeWords): string[] {
  const rows: [string, string][] = [
    ['from', participants([one.sender])],
    ['to', participants(one.to)],
    ['cc', participants(one.cc)],
    ['replies to', participants(one.reply_to)],
    ['written', time(one.created_at_utc)],
    ['box', `${cell(one.box ?? 'unknown')}, ${flagsOf(one)}`],
    ['thread', one.thread_ref ?? ''],
    ['notice', one.notify_block ? sanitiseLine(one.notify_block.text) : ''],
    ...one.attachments.map((file): [string, string] => ['attached', attachmentWords(file)]),
  ];
  return [
    `${one.message_ref}  ${sanitiseLine(one.subject)}`,
    ...table(rows.filter(([, value]) => value !== '')).map((line) => `  ${line}`),
    ...(one.body_text ? ['', one.body_text.trimEnd()] : []),
  ];
}

export const statusLines = (
  { address, principal_id, transport, bindings_version }: Schemas['MailStatus'],
  path: string,
): string[] => [
  sanitiseLine(address),
  ...table([
    ['owner', sanitiseLine(principal_id)],
    ['kept in', transport === 'filesystem' ? 'a folder' : 'a mail server'],
    ['binding', bindings_version],
    ['reached', path === 'gateway_backed' ? 'through the gateway' : 'without a gateway'],
  ]).map((line) => `  ${line}`),
];

const longestAppendix = 100;

/** Prints the state of a notifier; tokens are counted, not shown. */
export function notifierLines(one: Schemas['NotifierStatus'], agent: string, time: TimeWords): string[] {
  const rows: [string, string | null][] = [
    ['wakes for', one.mode === 'unread_only' ? 'unread mail' : 'any mail of the inbox'],
    ['every', one.interval_seconds === null ? null : `${one.interval_seconds} s`],
    ['appendix', appendixWords(one.appendix_text)],
    ['before it', one.pre_notification_context_action === 'compact' ? 'compacts' : null],
    ['conversation lost', one.context_error_policy === 'clear_context' ? 'starts a new one' : null],
    ['notices', noticeWords(one)],
    ['looked', one.last_poll_at_utc && time(one.last_poll_at_utc)],
    ['woke it', one.last_notification_at_utc && time(one.last_notification_at_utc)],
    ['failed', one.last_error && sanitiseLine(one.last_error)],
    ['cannot', one.support_error && sanitiseLine(one.support_error)],
  ];
  return [
    `The mail notifier of ${agent} is ${one.enabled ? 'on' : 'off'}.`,
    ...table(rows.flatMap(([name, value]) => (value ? [[name, value]] : []))).map((line) => `  ${line}`),
  ];
}

function appendixWords(text: string): string {
  const line = [...sanitiseLine(text)];
  return line.length > longestAppendix ? `${line.slice(0, longestAppendix).join('')}…` : line.join('');
}

function noticeWords(one: Schemas['NotifierStatus']): string {
  if (one.notify_block_render === 'disabled') return 'not shown';
  const check =
    one.notify_block_auth_verifier === 'none'
      ? 'unchecked'
      : `checked by ${counted(one.notify_block_shared_tokens.length, 'token')}, ${one.notify_block_auth_mode === 'required' ? 'left out when they fail' : 'shown anyway'}`;
  return `shown, ${check}, up to ${one.notify_block_per_message_chars} characters each and ${one.notify_block_total_chars} in all`;
}
