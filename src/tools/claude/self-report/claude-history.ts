import { recordOf, textOf } from '../../adapter/json-value.js';
import { timeOf } from '../../self-report/row-fields.js';
import {
  evidenceOf,
  type RowPlace,
  type RowReader,
  type SelfReportFact,
} from '../../self-report/self-report.js';

/**
 * Reads `history.jsonl`, which all sessions share: what was submitted, commands included. A long paste is only named there,
 * and such a row is passed over.
 */
export class ClaudeHistory implements RowReader {
  readonly #isOurs: (conversation: string) => boolean;

  constructor(isOurs: (conversation: string) => boolean) {
    this.#isOurs = isOurs;
  }

  read(row: Record<string, unknown>, place: RowPlace): SelfReportFact[] {
    const conversation = textOf(row.sessionId);
    const display = textOf(row.display);
    if (conversation === null || display === null || !this.#isOurs(conversation)) return [];
    const text = withPastes(display, recordOf(row.pastedContents) ?? {});
    if (text === null) return [];
    const evidence = evidenceOf('row', place);
    const at = timeOf(row.timestamp);
    return [{ kind: 'prompt_taken', text, pending: true, evidence, at, conversation, turn: null }];
  }
}

/** The text with what was pasted in its place; null when a paste is kept elsewhere. */
function withPastes(display: string, pastes: Record<string, unknown>): string | null {
  let missing = false;
  const text = display.replace(/\[Pasted text #(\d+)(?: \+\d+ lines)?\]/g, (mark, number: string) => {
    const paste = Object.hasOwn(pastes, number) ? recordOf(pastes[number]) : null;
    if (paste === null) return mark;
    const content = textOf(paste.content);
    missing ||= content === null;
    return content ?? '';
  });
  return missing ? null : text;
}
