import { dirname } from 'node:path';
import type { HookEvents } from './hook-events.js';
import { HookRows } from './hook-rows.js';
import type { Binder, Look, RowFile } from './self-report.js';

/** The file into which the hooks of an agent write. */
export interface HookFile {
  path: string;
  /** {@link RowFile.shown} */
  shown: string;
}

/**
 * Adds the file of the hooks to the files of an agent. Whose rows count there is what the other files tell; before they tell
 * anything, and where there are none, it is the conversation of the command line.
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

  look(): Look {
    const { facts, rowFiles, folders } = this.#binder.look();
    for (const fact of facts) if (fact.kind === 'conversation') this.#conversations.add(fact.id);
    return { facts, rowFiles: [...rowFiles, this.#rows], folders: [...folders, this.#folder] };
  }
}
