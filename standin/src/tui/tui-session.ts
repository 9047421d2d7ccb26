import { StandinAgent } from './agent.js';
import { Box } from './box.js';
import { emptyDraft, submitted, typed } from './composer.js';
import { OpenDialog } from './dialogs.js';
import type { InputEvent } from './input-events.js';
import type { TuiParts } from './tui-parts.js';

// The program in its pane:
//
//   starting ──its box is drawn──▶ open ──Ctrl-C in an empty box, Ctrl-D, /exit──▶ gone
//   starting ──the trust dialog──▶ starting or gone
//
// While it starts, it keeps typed text and loses Enter. While a dialog is open, keys answer it and have no other effect.

const recordMilliseconds = 30;
const readyMilliseconds = 120;
const againMilliseconds = 1500;

export class TuiSession {
  readonly #parts: TuiParts;
  readonly #box: Box;
  readonly #dialogs: OpenDialog;
  readonly #agent: StandinAgent;
  #open = false;
  #deafUntil = 0;
  #escapeAt = Number.NEGATIVE_INFINITY;

  constructor(parts: TuiParts) {
    this.#parts = parts;
    const { screen, switches, time } = parts;
    this.#box = new Box(screen, switches, time, () => parts.draw());
    this.#dialogs = new OpenDialog(parts);
    this.#agent = new StandinAgent(parts, this.#box, this.#dialogs, () =>
      this.#goDeaf(switches.deafAfterTurn),
    );
  }

  /** Runs the start until it takes prompts. @param prompt is submitted at once; null for none. */
  async start(prompt: string | null): Promise<void> {
    const { switches, screen, files, time, draw, leave } = this.#parts;
    if (switches.trustDialog) {
      const { choice } = await this.#dialogs.ask({ kind: 'trust', selected: 0 }, {});
      if (choice === null || choice.startsWith('No')) await leave('left', 1);
    }
    await time.sleep(recordMilliseconds);
    files.publish();
    await time.sleep(readyMilliseconds);
    this.#open = true;
    screen.starting = false;
    screen.hint = '◐ medium · /effort';
    if (switches.sessionFile.kind === 'read-only') screen.corner = 'Transcript writes are failing (EROFS)';
    this.#goDeaf(switches.deafStart);
    files.status('idle');
    draw();
    if (prompt !== null) this.#agent.submit(submitted(typed(emptyDraft, prompt), this.#parts.mark));
  }

  handle(event: InputEvent): void {
    if (this.#parts.time.now() < this.#deafUntil || this.#dialogs.handle(event)) return;
    if (event.kind === 'key' && event.key === 'ctrl-c') this.#control();
    else if (this.#open) this.#handleOpen(event);
    else if (event.kind !== 'key' || event.key !== 'enter') this.#box.take(event);
  }

  #handleOpen(event: InputEvent): void {
    this.#parts.screen.notice = null;
    if (this.#box.take(event)) {
      this.#hint(null);
      return;
    }
    if (event.kind !== 'key') return;
    if (event.key === 'enter') this.#enter();
    else if (event.key === 'escape') this.#escape();
    else if (event.key === 'up') this.#agent.popQueue();
    else if (event.key === 'ctrl-d' && this.#box.draft.text === '') void this.#parts.leave('left', 0);
  }

  #control(): void {
    this.#hint(null);
    if (this.#box.draft.text !== '') {
      this.#box.draft = emptyDraft;
      this.#notice('Press Ctrl-C again to exit');
    } else if (!this.#agent.interrupt()) void this.#parts.leave('left', 0);
  }

  #enter(): void {
    const removed = this.#box.review();
    if (removed > 0) {
      const what = removed === 1 ? 'character' : 'characters';
      this.#notice(`Removed ${removed} invisible ${what} · review and press Enter to send`);
      return;
    }
    if (this.#box.draft.text.trim() === '' || this.#box.spoilsEnter()) return;
    const { choice, draft } = this.#box;
    const sent = submitted(choice === null ? draft : { text: choice, pastes: [] }, this.#parts.mark);
    this.#box.draft = emptyDraft;
    this.#hint(null);
    this.#agent.submit(sent);
  }

  #escape(): void {
    if (this.#box.choice !== null) {
      this.#box.closeMenu();
      return;
    }
    if (this.#agent.interrupt()) return;
    const now = this.#parts.time.now();
    const again = now - this.#escapeAt < againMilliseconds;
    this.#escapeAt = again ? Number.NEGATIVE_INFINITY : now;
    if (this.#box.draft.text === '') {
      if (again) void this.#dialogs.ask({ kind: 'rewind' }, {});
      return;
    }
    if (again) this.#box.draft = emptyDraft;
    this.#hint(again ? null : 'esc again to clear');
  }

  #goDeaf(ms: number | null): void {
    this.#deafUntil = this.#parts.time.now() + (ms ?? 0);
  }

  #hint(text: string | null): void {
    this.#parts.screen.hint = text;
    this.#parts.draw();
  }

  /** Shows a message in the footer for a while. */
  #notice(text: string): void {
    const { screen, time, draw } = this.#parts;
    screen.notice = text;
    draw();
    void time.sleep(againMilliseconds).then(() => {
      if (screen.notice !== text) return;
      screen.notice = null;
      draw();
    });
  }
}
