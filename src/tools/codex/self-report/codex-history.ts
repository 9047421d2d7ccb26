import { textOf } from '../../adapter/json-value.js';
import {
  evidenceOf,
  type RowPlace,
  type RowReader,
  type SelfReportFact,
} from '../../self-report/self-report.js';

/** Reads `history.jsonl`, which all sessions share: prompts as they are submitted, before a running tool lets them in. */
export class CodexHistory implements RowReader {
  readonly #isOurs: (conversation: string) => boolean;

  constructor(isOurs: (conversation: string) => boolean) {
    this.#isOurs = isOurs;
  }

  read(row: Record<string, unknown>, place: RowPlace): SelfReportFact[] {
    const conversation = textOf(row.session_id);
    const text = textOf(row.text);
    if (conversation === null || text === null || !this.#isOurs(conversation)) return [];
    // Its time has no fraction of a second: it would seem to be older than it is.
    const said = { evidence: evidenceOf('row', place), at: null, conversation, turn: null };
    return [{ kind: 'prompt_taken', text, pending: true, ...said }];
  }
}
