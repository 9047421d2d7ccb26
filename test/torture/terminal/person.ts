import type { LedgerRow, PersonKey } from './facts.js';
import { tagsIn } from './prompts.js';
import type { PersonAct } from './scenario.js';
import type { TorturedAgent } from './tortured-agent.js';

/** A key that was not heard is pressed again after so long. */
const againMilliseconds = 1500;

export interface Habits {
  /** How long a dialog is looked at, in milliseconds. */
  dialogAfter: number;
  permits: boolean;
}

/** Somebody else at the same terminal: types drafts and prompts, scrolls, and is the only one who may answer dialogs. */
export class Person {
  readonly keys: PersonKey[] = [];
  readonly acts: PersonAct[] = [];
  readonly drafts: { at: number; tag: string }[] = [];
  readonly #agent: TorturedAgent;
  readonly #habits: Habits;
  #dialogSince: number | null = null;
  #pressedAt = 0;

  constructor(agent: TorturedAgent, habits: Habits) {
    this.#agent = agent;
    this.#habits = habits;
  }

  async act(act: PersonAct, text: string): Promise<void> {
    this.acts.push(act);
    if (act === 'copy-mode') await this.#agent.copyMode();
    else {
      const at = Date.now();
      this.drafts.push(...tagsIn(text).map((tag) => ({ at, tag })));
      // A dialog that opens meanwhile takes each character for a key.
      this.keys.push(...Array.from(text, (key) => ({ at, key })));
      await this.#agent.press('-l', '--', text);
      if (act === 'prompt') await this.#press('Enter');
    }
  }

  /** Looks whether a dialog is up, and answers it once it was up for long enough. */
  async attend(ledger: readonly LedgerRow[]): Promise<void> {
    const now = Date.now();
    const dialog = openDialog(ledger);
    if (dialog === null) this.#dialogSince = null;
    else this.#dialogSince ??= now;
    if (dialog === null || this.#dialogSince === null || now - this.#dialogSince < this.#habits.dialogAfter)
      return;
    if (now - this.#pressedAt < againMilliseconds) return;
    this.#pressedAt = now;
    await this.#press(...this.#answerTo(dialog));
  }

  /** Leaves the composer empty and the terminal unscrolled. While a dialog is up, these keys do nothing. */
  async tidy(): Promise<void> {
    await this.#agent.press('-X', 'cancel');
    // A line, or the line break before it, for each: more than any draft has.
    await this.#agent.press('-N', '80', 'C-u');
  }

  #answerTo(dialog: string): string[] {
    if (dialog === 'trust') return ['Down', 'Enter'];
    return dialog === 'permission' ? [this.#habits.permits ? '1' : '4'] : ['Escape'];
  }

  async #press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      this.keys.push({ at: Date.now(), key });
      await this.#agent.press(key);
    }
  }
}

/** The dialog that is up by the ledger; null where none is. */
export function openDialog(ledger: readonly LedgerRow[]): string | null {
  const last = ledger.findLast(({ dialog, exit }) => dialog !== undefined || exit !== undefined);
  return last?.shown === true ? (last.dialog ?? null) : null;
}
