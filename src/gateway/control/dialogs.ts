import type { AgentTerminal, DialogAnswer, DialogOutcome } from '../../agent/target/agent-terminal.js';
import type { Journal } from '../../events/journal.js';
import type { ShownDialog } from '../../terminal/tracker/shown-dialog.js';

export interface DialogParts {
  terminal: AgentTerminal;
  journal: Journal;
  /** Called when an event cannot be stored; the question on the screen is reported nevertheless. */
  notNoted: (error: unknown) => void;
}

/** The questions of an agent to a person: an event reports each of them, and callers answer them. */
export class Dialogs {
  readonly #parts: DialogParts;
  /** The question that the events report as shown. */
  #reported: ShownDialog | null = null;

  constructor(parts: DialogParts) {
    this.#parts = parts;
  }

  /** Compares the screen with the last reported question. Call it after each observation that found a change. */
  seen(): void {
    const { dialog, answered } = this.#parts.terminal.state;
    const before = this.#reported;
    if (dialog?.id === before?.id) return;
    this.#reported = dialog;
    const answeredBy = answered?.dialogId === before?.id ? (answered?.by ?? null) : null;
    this.#note(before && { dialog: before, answeredBy }, dialog).catch(this.#parts.notNoted);
  }

  /** @throws {TerminalLost} what was typed before stays typed. */
  async answer(dialogId: string, answer: DialogAnswer): Promise<DialogOutcome> {
    try {
      return await this.#parts.terminal.answer(dialogId, answer);
    } finally {
      this.seen();
    }
  }

  #note(
    closed: { dialog: ShownDialog; answeredBy: 'choose' | 'keys' | null } | null,
    shown: ShownDialog | null,
  ): Promise<void> {
    const { journal } = this.#parts;
    return journal.write((atUtc) => {
      if (closed !== null)
        journal.event(atUtc, {
          kind: 'dialog_closed',
          subjectId: closed.dialog.id,
          data: { dialog_id: closed.dialog.id, answered_by: closed.answeredBy, at_utc: atUtc },
        });
      if (shown !== null)
        journal.event(atUtc, {
          kind: 'dialog_shown',
          subjectId: shown.id,
          data: {
            dialog_id: shown.id,
            dialog_kind: shown.kind,
            text: shown.excerpt,
            choices: shown.choices.map(({ label }) => label),
            at_utc: atUtc,
          },
        });
    });
  }
}
