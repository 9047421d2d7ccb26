import { type PartWriter, readParts } from '../../run/part-file.js';
import { turnUsageOf } from '../../run/running-turn.js';
import type { ShownDialog } from '../../terminal/tracker/shown-dialog.js';
import type { RowPlace, TurnEnded, Utterance } from '../../tools/self-report/self-report.js';

const keyOf = ({ file, offset }: RowPlace): string => `${file}\0${offset}`;

/**
 * Stores the parts of a turn in a terminal, as the agent's own files and its screen show them. A program that adopts the turn hears
 * the rows since the prompt once more, and stores only those that are new.
 */
export class PartLog {
  readonly #writer: PartWriter;
  /** How many parts of a row are stored, by its place. */
  readonly #stored = new Map<string, number>();
  #dialogId: string | null = null;
  #usage: TurnEnded | null = null;

  /** @param path the file of the writer. */
  constructor(writer: PartWriter, path: string) {
    this.#writer = writer;
    this.#read(path);
  }

  said({ part, place }: Utterance): void {
    const key = keyOf(place);
    const stored = this.#stored.get(key) ?? 0;
    if (stored > 0) this.#stored.set(key, stored - 1);
    else this.#writer.write(part, place);
  }

  /** Takes the question on the screen; null if there is none. */
  sees(dialog: ShownDialog | null): void {
    if ((dialog?.id ?? null) === this.#dialogId) return;
    if (this.#dialogId !== null)
      this.#writer.write({ kind: 'dialog_closed', data: { dialog_id: this.#dialogId } });
    this.#dialogId = dialog?.id ?? null;
    if (dialog === null) return;
    const { id, kind, excerpt, choices } = dialog;
    const data = {
      dialog_id: id,
      dialog_kind: kind,
      text: excerpt,
      choices: choices.map(({ label }) => label),
    };
    this.#writer.write({ kind: 'dialog_shown', data });
  }

  /** Takes a report of the end, of which a turn may have several; the last one counts. */
  ends(ended: TurnEnded): void {
    this.#usage = ended;
  }

  /** Completes the file. @param isOver false if another program goes on with the turn. */
  close(isOver: boolean): void {
    const ended = isOver ? this.#usage : null;
    const usage = ended && turnUsageOf(ended.model, ended.usage, 'turn');
    if (usage !== null) this.#writer.write({ kind: 'usage', data: usage });
    this.#writer.close();
  }

  #read(path: string): void {
    let start = 0;
    for (;;) {
      const parts = readParts(path, start, 1000);
      const last = parts.at(-1);
      if (last === undefined) return;
      start = last.end;
      for (const { part } of parts) {
        if (part.from) this.#stored.set(keyOf(part.from), (this.#stored.get(keyOf(part.from)) ?? 0) + 1);
        if (part.kind === 'dialog_shown') this.#dialogId = part.data.dialog_id;
        if (part.kind === 'dialog_closed') this.#dialogId = null;
      }
    }
  }
}
