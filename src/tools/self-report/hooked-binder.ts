import { dirname } from 'node:path';
import { textOf, timeOf } from '../adapter/json-value.js';
import {
  type Binder,
  type BoundFiles,
  evidenceOf,
  type HookEvents,
  type RowFile,
  type RowPlace,
  type RowReader,
  type SelfReportFact,
} from './self-report.js';

/** The file to which the hooks of an agent write. */
export interface HookFile {
  path: string;
  /** {@link RowFile.shown} */
  shown: string;
}

/**
 * Adds the hook file to the files of an agent. Its rows count for the conversation of the command line, and for those that the
 * agent's other files report.
 */
export class HookedBinder implements Binder {
  readonly #binder: Binder;
  readonly #folder: string;
  readonly #rows: RowFile;
  readonly #conversations = new Set<string>();

  constructor(binder: Binder, file: HookFile, events: HookEvents, conversation: string | null) {
    this.#binder = binder;
    this.#folder = dirname(file.path);
    if (conversation !== null) this.#conversations.add(conversation);
    this.#rows = { ...file, reader: () => new HookRows(events, (id) => this.#conversations.has(id)) };
  }

  check(): BoundFiles {
    const { facts, rowFiles, folders } = this.#binder.check();
    for (const fact of facts) if (fact.kind === 'conversation') this.#conversations.add(fact.id);
    return { facts, rowFiles: [...rowFiles, this.#rows], folders: [...folders, this.#folder] };
  }
}

/**
 * Reads the input that a tool gives its hooks, one row per call. Only rows of our conversations count: a tool that our agent
 * starts itself may inherit its hooks. A missing row proves nothing, because hooks may be switched off, and Escape calls none.
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
      // The row of a queued prompt names the running turn, and not the turn of the prompt itself.
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
