import { type BoxDraft, emptyDraft, erased, lineCleared, pasted, reviewed, typed } from './composer.js';
import type { InputEvent } from './input-events.js';
import type { ScreenState } from './screen-state.js';
import { menuOf } from './slash-commands.js';
import type { Switches } from './switches.js';
import type { Time } from './time.js';

/** The input box: its draft, its misbehaviour, and its part of the screen. */
export class Box {
  readonly #screen: ScreenState;
  readonly #switches: Switches;
  readonly #time: Time;
  readonly #draw: () => void;
  #draft: BoxDraft = emptyDraft;
  #pastes = 0;
  #pastesLost = 0;
  #entersSpoilt = 0;
  #menuClosed = false;

  constructor(screen: ScreenState, switches: Switches, time: Time, draw: () => void) {
    this.#screen = screen;
    this.#switches = switches;
    this.#time = time;
    this.#draw = draw;
  }

  get draft(): BoxDraft {
    return this.#draft;
  }

  set draft(draft: BoxDraft) {
    if (draft.text !== this.#draft.text) this.#menuClosed = false;
    this.#draft = draft;
    const { lateEcho } = this.#switches;
    if (lateEcho === null) this.#show(draft);
    else void this.#time.sleep(lateEcho).then(() => this.#show(draft));
  }

  /** The slash command that Enter would choose; null if no menu is open. */
  get choice(): string | null {
    return this.#menuClosed ? null : (menuOf(this.#draft.text)[0]?.command ?? null);
  }

  closeMenu(): void {
    this.#menuClosed = true;
    this.#show(this.#draft);
  }

  /** Takes an event that changes the draft. Returns false for a key with another meaning. */
  take(event: InputEvent): boolean {
    const draft = this.#draft;
    if (event.kind === 'text') this.draft = typed(draft, event.text);
    else if (event.kind === 'paste') this.#paste(event.text);
    else if (event.key === 'newline') this.draft = typed(draft, '\n');
    else if (event.key === 'backspace') this.draft = erased(draft);
    else if (event.key === 'ctrl-u') this.draft = lineCleared(draft);
    else if (event.key === 'tab') this.draft = typed(draft, this.choice?.slice(draft.text.length) ?? '');
    else return false;
    return true;
  }

  /** Decides whether Enter is lost or breaks the line, as the switches request. */
  spoilsEnter(): boolean {
    const { dropEnter, enterAsNewline } = this.#switches;
    this.#entersSpoilt += 1;
    if (this.#entersSpoilt <= (dropEnter ?? 0)) return true;
    if (this.#entersSpoilt > (dropEnter ?? 0) + (enterAsNewline ?? 0)) return false;
    this.draft = typed(this.#draft, '\n');
    return true;
  }

  /** Removes characters that change the direction of writing; returns their number. */
  review(): number {
    const { draft, removed } = reviewed(this.#draft);
    if (removed > 0) this.draft = draft;
    return removed;
  }

  #paste(text: string): void {
    this.#pastesLost += 1;
    if (this.#pastesLost <= (this.#switches.swallowPaste ?? 0)) return;
    const draft = pasted(this.#draft, text, this.#pastes + 1);
    if (draft.pastes.length > this.#draft.pastes.length) this.#pastes += 1;
    this.draft = draft;
  }

  #show(draft: BoxDraft): void {
    this.#screen.draft = draft;
    this.#screen.menu = this.#menuClosed ? [] : menuOf(draft.text);
    if (draft.text !== '') this.#screen.placeholder = null;
    this.#draw();
  }
}
