import type { LogLine } from '../events/log-line.js';
import type { DiagnosticEntry } from './diagnostic-entry.js';

const named = ['kind', 'mode', 'reminder_id', 'request_id', 'turn_id'] as const;
const maxCode = 120;

/** What a warning or an error in `gateway.log` is in the diagnostic log. */
export function logWarning(level: 'warning' | 'error', { what, facts, rest }: LogLine): DiagnosticEntry {
  const code = slugOf(what);
  const notice = /\(suppressed \d+ repeats\)/.exec(rest)?.[0];
  return {
    level,
    event: 'gateway.running_log_warning',
    dedupKey: `gateway-log:${level}:${code}`,
    fields: {
      message_code: code,
      ...Object.fromEntries(
        named.flatMap((name) => (facts[name] === undefined ? [] : [[name, facts[name]]])),
      ),
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
