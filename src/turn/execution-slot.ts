import type { TurnOrigin } from './turn-table.js';

// One execution slot per agent: queued prompts, direct prompts, reminders and notifier prompts share it
// (docs/decisions.md#one-slot).
//
//   free ──tryTake──────────────▶ held ──release──▶ free
//   free | held ──reserve──▶ the same, but only the reservation may take next
//
// A forced prompt reserves the slot, ends its holder, and takes it: no other prompt can come in between.

export interface SlotHolder {
  readonly turnId: string;
  readonly origin: TurnOrigin;
}

/** The right to take the slot next. */
export interface Reservation {
  /** Takes the slot; it must be free. */
  take(holder: SlotHolder): void;
  /** Gives the right back unused. */
  cancel(): void;
}

export class ExecutionSlot {
  readonly #changed: () => void;
  #holder: SlotHolder | null = null;
  #reserved = false;

  /** @param changed called whenever the slot was taken or freed. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** The turn that keeps the agent busy. {@link TurnService.liveTurnId} is the same turn as long as this process follows it. */
  get holder(): SlotHolder | null {
    return this.#holder;
  }

  get free(): boolean {
    return this.#holder === null && !this.#reserved;
  }

  /** @returns false when it is held or reserved. */
  tryTake(holder: SlotHolder): boolean {
    if (!this.free) return false;
    this.#hold(holder);
    return true;
  }

  /** @returns null when it is already reserved. */
  tryReserve(): Reservation | null {
    if (this.#reserved) return null;
    this.#reserved = true;
    let ours = true;
    return {
      take: (holder) => {
        if (this.#holder) throw new Error(`The slot is still held by ${this.#holder.turnId}.`);
        ours = false;
        this.#reserved = false;
        this.#hold(holder);
      },
      cancel: () => {
        if (!ours) return;
        ours = false;
        this.#reserved = false;
        this.#changed();
      },
    };
  }

  release(turnId: string): void {
    if (this.#holder?.turnId !== turnId) return;
    this.#holder = null;
    this.#changed();
  }

  #hold(holder: SlotHolder): void {
    this.#holder = holder;
    this.#changed();
  }
}
