import { isRefusal } from '../../agent/target/agent-target.js';
import { WakefulLoop } from '../../foundation/concurrency.js';
import { newTurnId } from '../../foundation/ids.js';
import { internalFault } from '../../run/record-error.js';
import { isWholeDatabase, reportAndGoOn, unlessStorage } from '../../storage/storage-fault.js';
import { withOneEnter } from '../../terminal/terminal-input.js';
import type { TurnCompanion } from '../../turn/live-turn.js';
import type { DispatchParts } from '../dispatch-parts.js';
import { allAxes, axesInWords, keysObstacle, obstacleFor, toolHasEnded } from '../readiness.js';
import { noTerminal, typeKeys } from '../type-keys.js';
import { Deferrals } from './deferrals.js';
import { endDelivery, restOfTurn } from './delivery-end.js';
import type { Reminder } from './reminder.js';
import type { ReminderBook } from './reminder-book.js';
import * as events from './reminder-events.js';
import { nextStep, started, withReminder } from './reminder-set.js';

// The loop delivers the effective reminder once it is due (docs/decisions.md#when-reminders-fire):
//
//   asleep ──due──▶ at the gate ──admission open, nothing runs, nothing queued──▶ delivering ──end──▶ asleep
//                      │   ▲
//                      └───┘ otherwise deferred: again after a change, or 0.2 s
//
// A reminder is `executing` from the claim to the end; the set and the transactions of the turn agree on that.

const retryMilliseconds = 200;
const faultMilliseconds = 1000;
/**
 * The longest sleep before due times are compared again: a timer does not notice that the clock was set or the machine
 * slept.
 */
const longestSleep = 10_000;

export interface ReminderLoopParts extends DispatchParts {
  book: ReminderBook;
  /** Called with faults that must be reported. */
  report: (fault: string) => void;
}

export class ReminderLoop {
  readonly #parts: ReminderLoopParts;
  readonly #loop: WakefulLoop;
  readonly #deferrals: Deferrals;
  readonly #stopping = new AbortController();

  constructor(parts: ReminderLoopParts) {
    this.#parts = parts;
    this.#deferrals = new Deferrals(parts.journal, parts.book, parts.clock);
    const goOn = reportAndGoOn('the reminder loop', parts.report);
    this.#loop = new WakefulLoop({
      step: () => this.#step(),
      fault: (error) => {
        goOn(error);
        return faultMilliseconds;
      },
      clock: parts.clock,
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Wakes the loop, because the set has changed or the agent may be free. */
  wake(): void {
    this.#loop.wake();
  }

  /** Stops delivering; resolves when the loop has ended. The turns end a running delivery. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop.stop();
    // A log line that cannot be written must not prevent shutdown.
    await this.#deferrals.flush().catch((error: Error) => this.#parts.report(error.message));
  }

  /** @returns how many milliseconds to sleep. */
  async #step(): Promise<number> {
    const { book, axes } = this.#parts;
    const next = nextStep(book.set, this.#now());
    if ('at' in next)
      return next.at === null
        ? WakefulLoop.untilWoken
        : Math.min(Math.max(1, next.at - this.#now()), longestSleep);
    await axes.current();
    // The agent may have gone, or its server become busy, since the last observation, and a delivery is not repeated.
    if (this.#closed(next.deliver) === null) await axes.observe();
    // The set may have changed while the agent was checked.
    if (!this.#isStill(next.deliver) || this.#loop.stopping) return 0;
    const closed = this.#closed(next.deliver);
    if (closed === null) return (await this.#deliver(next.deliver)) ? 0 : retryMilliseconds;
    await this.#deferrals.note(next.deliver, closed);
    return retryMilliseconds;
  }

  /** Returns what keeps a reminder back now, in the words of its deferral; null when nothing does. */
  #closed({ delivery }: Reminder): string | null {
    const axes = this.#parts.axes.now();
    const { terminal } = this.#parts.target;
    const obstacle =
      delivery.kind === 'prompt' ? obstacleFor('reminder', axes) : keysObstacle(axes, terminal);
    if (obstacle === null) return null;
    const words = axesInWords(axes, allAxes);
    return terminal && toolHasEnded(terminal) ? `${words}, diagnostics.availability='tui_down'` : words;
  }

  /** Whether exactly this reminder, unchanged, is still the one to deliver. */
  #isStill(reminder: Reminder): boolean {
    const next = nextStep(this.#parts.book.set, this.#now());
    return 'deliver' in next && next.deliver === reminder;
  }

  /**
   * Delivers a reminder. A fault fails this delivery, so that the reminder does not block all others.
   * @returns false to try again.
   */
  async #deliver(reminder: Reminder): Promise<boolean> {
    try {
      return await this.#start(reminder);
    } catch (error) {
      if (isWholeDatabase(error)) throw error;
      this.#parts.report(`reminder ${reminder.id} hit an internal error: ${(error as Error).message}`);
      return this.#fail(reminder, internalFault(error as Error).detail);
    }
  }

  async #start(reminder: Reminder): Promise<boolean> {
    const { target, turns, tool } = this.#parts;
    if (reminder.delivery.kind !== 'prompt') return this.#type(reminder, reminder.delivery);
    const resolved = target.resolve(
      { chatSession: null, execution: null },
      { override: null, forced: false },
    );
    if (isRefusal(resolved)) return this.#fail(reminder, resolved.detail);
    const turnId = newTurnId();
    const order = {
      ...resolved,
      turnId,
      prompt: reminder.delivery.prompt,
      origin: 'reminder' as const,
      requestId: null,
      tool,
    };
    const turn = await turns.begin(order, this.#companion(reminder, turnId));
    if (!turn) return false;
    this.#deferrals.forget(reminder.id);
    return true;
  }

  async #type(
    reminder: Reminder,
    { sequence, ensureEnter }: Extract<Reminder['delivery'], { kind: 'send_keys' }>,
  ): Promise<boolean> {
    const { target, journal, report } = this.#parts;
    const { terminal } = target;
    if (!terminal) return this.#fail(reminder, noTerminal);
    const begun = await journal.write((atUtc) => this.#isStill(reminder) && this.#begin(atUtc, reminder));
    if (!begun) return true;
    const keys = { sequence: ensureEnter ? withOneEnter(sequence) : sequence, literal: false };
    const notNoted = (error: unknown): void =>
      unlessStorage(error, ({ message }) => report(`the keys of a reminder were not recorded: ${message}`));
    const trouble = await typeKeys(terminal, keys, journal, notNoted).then(
      (found) => found?.detail ?? null,
      (error: Error) => error.message,
    );
    // The keys were typed, so the end of the delivery is written to disk, however long that takes.
    await journal.writeAtLast(
      (atUtc) => this.#end(atUtc, reminder.id, trouble),
      () => undefined,
      this.#stopping.signal,
    );
    return true;
  }

  #companion(reminder: Reminder, turnId: string): TurnCompanion {
    return {
      claimed: (atUtc) => this.#isStill(reminder) && this.#begin(atUtc, reminder, turnId),
      ...restOfTurn(this.#parts, reminder.id),
    };
  }

  /** Records a delivery that could not begin. */
  async #fail(reminder: Reminder, detail: string): Promise<boolean> {
    await this.#parts.journal.write((atUtc) => {
      if (this.#isStill(reminder) && this.#begin(atUtc, reminder)) this.#end(atUtc, reminder.id, detail);
    });
    return true;
  }

  #begin(atUtc: string, reminder: Reminder, turnId: string | null = null): true {
    const { journal, book } = this.#parts;
    const running = started(reminder, this.#now(), turnId);
    book.replace(withReminder(book.set, running));
    journal.event(atUtc, events.begun(running));
    return true;
  }

  #end(atUtc: string, id: string, error: string | null): void {
    endDelivery(this.#parts, atUtc, id, error);
  }

  #now(): number {
    return this.#parts.clock.now().getTime();
  }
}
