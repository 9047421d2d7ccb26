import type { DiagnosticEntry } from './diagnostic-entry.js';

const errors = /\b(?:failed|failure|error)\b/i;
const warnings = /\bdisabled:|\b(?:deferred|lost|refused|suppressed)\b/i;
/** Where the part of a line begins that differs from time to time. */
const detail = /\b[a-z_]+=|: |; |\(suppressed/;
const named = ['kind', 'mode', 'reminder_id', 'request_id', 'turn_id'] as const;
const maxCode = 120;

/** What a line of `gateway.log` (without its time) is in the diagnostic log; null when it tells of nothing amiss. */
export function warningOf(message: string): DiagnosticEntry | null {
  const level = errors.test(message) ? 'error' : warnings.test(message) ? 'warning' : null;
  if (level === null) return null;
  const code = slugOf(message.slice(0, detail.exec(message)?.index ?? message.length));
  const notice = /\(suppressed \d+ repeats\)/.exec(message)?.[0];
  return {
    level,
    event: 'gateway.running_log_warning',
    dedupKey: `gateway-log:${level}:${code}`,
    fields: {
      message_code: code,
      ...Object.fromEntries(named.flatMap((name) => valueIn(message, name) ?? [])),
      ...(notice ? { suppression_notice: notice } : {}),
    },
  };
}

const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, maxCode);

/** `name=value` in a line. */
function valueIn(message: string, name: string): [string, string][] | null {
  const value = new RegExp(`\\b${name}=(\\S+)`).exec(message)?.[1];
  return value === undefined ? null : [[name, value]];
}
