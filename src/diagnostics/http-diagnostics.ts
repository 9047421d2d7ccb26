import type { AnsweredRequest, HttpObserver } from '../contract/http-observer.js';
import type { DiagnosticEntry } from './diagnostic-entry.js';

/** Writes HTTP requests and their outcome into the diagnostic log. */
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
