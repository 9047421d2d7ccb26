import { listOf, numberOf, recordOf, textOf } from '../../adapter/json-value.js';
import { timeOf } from '../../self-report/row-fields.js';
import type { PromptTaken } from '../../self-report/self-report.js';

/**
 * Reads `logs.json`: what was submitted in all sessions of a project, commands included. It is written anew each time, and
 * two writers lose entries of each other. Its session is the one that the process began with, also after `/clear`.
 */
export class GeminiLog {
  readonly #session: string;
  #last: number | null = null;

  constructor(session: string) {
    this.#session = session;
  }

  /** @param text the whole file; null where there is none. @returns what is new since the first call. */
  read(text: string | null, file: string): PromptTaken[] {
    const entries = text === null ? [] : entriesOf(text);
    if (entries === null) return [];
    const ours = entries.filter(({ session }) => session === this.#session);
    const before = this.#last;
    this.#last = ours.reduce((last, { number }) => Math.max(last, number), before ?? -1);
    if (before === null) return [];
    return ours
      .filter(({ number }) => number > before)
      .map(({ number, text: typed, at }) => ({
        kind: 'prompt_taken',
        text: typed,
        pending: true,
        evidence: `message ${number} of ${file}`,
        at,
        conversation: null,
        turn: null,
      }));
  }
}

interface LogEntry {
  session: string;
  number: number;
  text: string;
  at: string | null;
}

/** Null while the file is being written. */
function entriesOf(text: string): LogEntry[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return (listOf(value) ?? []).flatMap((each) => {
    const entry = recordOf(each);
    const session = textOf(entry?.sessionId);
    const number = numberOf(entry?.messageId);
    const typed = entry?.type === 'user' ? textOf(entry.message) : null;
    if (session === null || number === null || typed === null) return [];
    return [{ session, number, text: typed, at: timeOf(entry?.timestamp) }];
  });
}
