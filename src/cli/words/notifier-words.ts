import type { Schemas } from '@houmao/sdk';
import { counted } from '../../foundation/counted.js';
import { sanitiseLine } from '../../foundation/sanitise.js';
import type { TimeWords } from './local-time.js';
import { table } from './terminal-output.js';

const longestAppendix = 100;

/** Tokens are counted, not shown. */
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
