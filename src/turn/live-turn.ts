import type { ResolvedTurn, TurnAssignment } from '../agent/target/agent-target.js';
import type { Clock } from '../foundation/clock.js';
import { deferred } from '../foundation/concurrency.js';
import {
  interruptLadder,
  type RunningTurn,
  type StopLadder,
  type StopOutcome,
  type TurnSigns,
} from '../run/running-turn.js';
import { judge, type Verdict } from './turn-end.js';
import type { TurnRecorder } from './turn-recorder.js';
import type { StopReason, TurnOrigin } from './turn-table.js';

// The execution slot of an agent, and the turn that holds it. Queued prompts, direct prompts, reminders and notifier prompts
// share the one slot (docs/decisions.md#one-slot).
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

/** A turn that is to begin. */
export interface TurnOrder extends ResolvedTurn, TurnAssignment {
  origin: TurnOrigin;
  requestId: string | null;
  tool: string;
}

/** Further work in the transactions of a turn. */
export interface TurnCompanion {
  /** @returns false when the turn must not begin after all (the request was cancelled meanwhile). */
  claimed(atUtc: string): boolean;
  /** Called when the agent has the prompt; only for agents that stay (those in a terminal). */
  delivered?(atUtc: string): void;
  ended(atUtc: string, verdict: Verdict): void;
}

/** A turn under way. */
export interface BegunTurn {
  /**
   * Whether the agent got the prompt (for an agent that stays: whether it showed that it did); `left` when the turn was
   * left before that was known. Never rejects.
   */
  delivered: Promise<boolean | 'left'>;
  /**
   * The end of the turn; null when it was left running. Never rejects: a fault at the end is reported, and the turn then
   * counts as failed.
   */
  over: Promise<Verdict | null>;
}

/** The longest delay of a Node timer, in milliseconds. */
const longestTimer = 2 ** 31 - 1;
export const nothingToStop: StopOutcome = { outcome: 'no_op' };

/**
 * The turn that holds the slot, from its claim until it has ended or was left. It may be stopped at any moment of that
 * time.
 */
export class LiveTurn {
  readonly turnId: string;
  readonly recorder: TurnRecorder;
  readonly #running = deferred<RunningTurn | null>();
  readonly #over = deferred<void>();
  #reason: StopReason | null;
  /** The interrupt under way: a second one joins it and sends no signals of its own. */
  #interrupting: Promise<StopOutcome> | null = null;

  /** @param reason why it is being stopped already; null when it is not. */
  constructor(turnId: string, recorder: TurnRecorder, reason: StopReason | null) {
    this.turnId = turnId;
    this.recorder = recorder;
    this.#reason = reason;
  }

  /** Notes that the turn runs, or (null) that it does not begin after all. */
  started(turn: RunningTurn | null): void {
    this.#running.resolve(turn);
  }

  /** Notes that the turn has ended or was left, and wakes everything that waits for that. */
  finish(): void {
    this.#running.resolve(null);
    this.#over.resolve();
  }

  /** Resolves when the turn has ended or was left. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  judge(signs: TurnSigns): Verdict {
    return judge(signs, this.#reason);
  }

  /** Stops the turn. Resolves when it has ended, or when the server that runs it did not end it. */
  async stop(reason: StopReason, ladder: StopLadder): Promise<StopOutcome> {
    // The first reason wins; `replace` overrides it.
    if (this.#reason === null || (reason === 'replace' && this.#reason !== 'replace')) {
      this.#reason = reason;
      this.recorder.stopping(reason);
    }
    const turn = await this.#running.promise;
    if (!turn) return nothingToStop;
    if (reason !== 'interrupt') {
      const outcome = await turn.stop(ladder, true);
      await this.#over.promise;
      return outcome;
    }
    this.#interrupting ??= turn.stop(ladder, false);
    const outcome = await this.#interrupting;
    // A turn that did not end goes on; another interrupt may try again.
    if (outcome.outcome === 'failed') this.#interrupting = null;
    else await this.#over.promise;
    return outcome;
  }

  /** Stops following the turn; resolves when that is done. */
  async leave(): Promise<void> {
    const turn = await this.#running.promise;
    turn?.leave();
    await this.#over.promise;
  }

  /** Ends the turn as an interrupt would when it exceeds its time limit. Resolves when the turn has ended or was left. */
  async limit(seconds: number, clock: Clock): Promise<void> {
    const over = new AbortController();
    const noted = this.#over.promise.then(() => over.abort());
    await clock.sleep(Math.min(seconds * 1000, longestTimer), over.signal);
    await (over.signal.aborted ? noted : this.stop('time_limit', interruptLadder));
  }
}
