import type { InputEvent } from './input-events.js';
import { choicesOf, type StandinDialog } from './screen-state.js';
import type { TuiParts } from './tui-parts.js';

/** An answer to a dialog, with the key that gave it. */
export interface StandinDialogAnswer {
  key: string;
  /** Null: the dialog was cancelled. */
  choice: string | null;
}

/**
 * Returns the effect of a key on a dialog: an answer, another selected choice, or none. A paste is never an answer; an Enter
 * after it is.
 */
export function dialogInput(
  dialog: StandinDialog,
  event: InputEvent,
  directory: string,
): StandinDialogAnswer | { selected: number } | null {
  const choices = choicesOf(dialog, directory);
  if (event.kind === 'paste') return null;
  if (event.kind === 'text') {
    const choice = dialog.kind === 'permission' ? choices[Number(event.text) - 1] : undefined;
    return choice === undefined ? null : { key: event.text, choice };
  }
  const selected = dialog.kind === 'rewind' ? 0 : dialog.selected;
  switch (event.key) {
    case 'enter':
      return { key: 'Enter', choice: choices[selected] ?? null };
    case 'escape':
      return { key: 'Escape', choice: null };
    case 'ctrl-c':
      return { key: 'C-c', choice: null };
    case 'up':
      return { selected: Math.max(0, selected - 1) };
    case 'down':
      return { selected: Math.min(choices.length - 1, selected + 1) };
    default:
      return null;
  }
}

/** The open dialog, if there is one. */
export class OpenDialog {
  readonly #parts: TuiParts;
  #answered: ((answer: StandinDialogAnswer) => void) | null = null;

  constructor(parts: TuiParts) {
    this.#parts = parts;
  }

  /** Shows a dialog and resolves with its answer. @param noted added to the entry in the ledger. */
  ask(dialog: StandinDialog, noted: Record<string, unknown>): Promise<StandinDialogAnswer> {
    this.#parts.screen.dialog = dialog;
    this.#parts.ledger({ dialog: dialog.kind, shown: true, ...noted });
    this.#parts.draw();
    return new Promise((resolve) => {
      this.#answered = resolve;
    });
  }

  /** Passes an event to the open dialog; returns false if there is none. */
  handle(event: InputEvent): boolean {
    const { screen, ledger, draw } = this.#parts;
    const { dialog } = screen;
    if (dialog === null) return false;
    const done = dialogInput(dialog, event, screen.directory);
    if (done === null) return true;
    if ('selected' in done) {
      if (dialog.kind !== 'rewind') screen.dialog = { ...dialog, selected: done.selected };
    } else {
      screen.dialog = null;
      ledger({ dialog: dialog.kind, key: done.key, answer: done.choice });
      this.#answered?.(done);
    }
    draw();
    return true;
  }
}
