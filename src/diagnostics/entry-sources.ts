import type { AnsweredRequest, HttpObserver } from '../contract/http-observer.js';
import type { LogLine } from '../events/catalogue.js';
import type { DiagnosticEntry } from './diagnostic-entry.js';

/** Writes HTTP requests and their results into the diagnostic log. */
export const httpDiagnostics = (note: (entry: DiagnosticEntry) => void): HttpObserver => ({
  answered(request) {
    const { method, path, status } = request;
    const level = status < 400 ? 'info' : status < 500 ? 'warning' : 'error';
    note({
      level,
      event: 'gateway.http_request_completed',
      fields: fieldsOf(request),
      dedupKey: level === 'info' ? null : `http-request:${method}:${path}:${status}`,
    });
  },

  invalid(request, items) {
    const { method, path, status } = request;
    const errors = items.map(({ type, loc }) => ({ type, loc: loc.map(String) }));
    note({
      level: 'warning',
      event: 'gateway.http_validation_failed',
      fields: { method, path, status_code: status, error_count: errors.length, validation_errors: errors },
      dedupKey: `http-validation:${method}:${path}:${JSON.stringify(errors)}`,
    });
  },

  failed(request, category) {
    note({
      level: 'error',
      event: 'gateway.http_request_failed',
      fields: { ...fieldsOf(request), error_category: category },
      dedupKey: `http-request-failed:${request.method}:${request.path}:${category}`,
    });
  },
});

const fieldsOf = ({ method, path, status, durationMs, requestId }: AnsweredRequest) => ({
  method,
  path,
  status_code: status,
  duration_ms: durationMs,
  request_id: requestId,
});

const named = ['kind', 'mode', 'reminder_id', 'request_id', 'turn_id'] as const;
const maxCode = 120;

/** Converts a warning or an error of `gateway.log` into an entry of the diagnostic log. */
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
