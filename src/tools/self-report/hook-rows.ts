import { textOf } from '../adapter/json-value.js';
import type { HookEvents } from './hook-events.js';
import { timeOf } from './row-fields.js';
import { evidenceOf, type RowPlace, type RowReader, type SelfReportFact } from './self-report.js';

/**
 * Reads what a tool tells its hooks, a row each. Only rows of our conversations count: a tool that our agent starts itself may
 * inherit its hooks. That a row is missing means nothing, as hooks may be switched off, and Escape calls none.
 */
export class HookRows implements RowReader {
  readonly #events: HookEvents;
  readonly #isOurs: (conversation: string) => boolean;

  constructor(events: HookEvents, isOurs: (conversation: string) => boolean) {
    this.#events = events;
    this.#isOurs = isOurs;
  }

  read(row: Record<string, unknown>, place: RowPlace): SelfReportFact[] {
    const conversation = textOf(row.session_id);
    if (conversation === null || !this.#isOurs(conversation)) return [];
    const name = textOf(row.hook_event_name) ?? '';
    const said = { evidence: evidenceOf(`${name} row`, place), at: timeOf(row.timestamp) };
    if (name === this.#events.prompt) {
      const text = textOf(row.prompt);
      // The row of a prompt that is queued names the turn that runs: it says nothing of its own turn.
      const taken = {
        kind: 'prompt_taken',
        pending: true,
        refusable: true,
        conversation,
        turn: null,
      } as const;
      return text === null ? [] : [{ ...taken, text, ...said }];
    }
    const waitingFor = name === this.#events.permission ? this.#events.waitingFor(row) : null;
    return waitingFor === null ? [] : [{ kind: 'asking', waitingFor, ...said }];
  }
}
