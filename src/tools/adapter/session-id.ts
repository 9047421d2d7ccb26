import { listOf, recordOf } from './json-value.js';

/** The keys under which tools name the conversation; the first one found counts. */
const flatKeys = ['session_id', 'sessionId', 'thread_id', 'threadId'] as const;
const nestedKeys = ['session', 'thread'] as const;

/** The provider's conversation id in a row, or null. An id that a failed resume merely repeats is none. */
export function sessionIdOf(row: Record<string, unknown>): string | null {
  if (isEchoOfLostSession(row)) return null;
  for (const key of flatKeys) {
    const id = nonEmpty(row[key]);
    if (id !== null) return id;
  }
  for (const key of nestedKeys) {
    const id = nonEmpty(recordOf(row[key])?.id);
    if (id !== null) return id;
  }
  return null;
}

function nonEmpty(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

// Claude Code answers `--resume` of an unknown id with a result row that carries that very id.
function isEchoOfLostSession(row: Record<string, unknown>): boolean {
  if (row.type !== 'result' || row.is_error !== true) return false;
  const errors = listOf(row.errors) ?? [];
  return errors.some((error) => typeof error === 'string' && error.startsWith('No conversation found'));
}
