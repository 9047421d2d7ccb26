import { newTurnId } from '../../foundation/ids.js';
import { toSecondStamp } from '../../foundation/timestamps.js';
import { WakefulLoop } from '../../foundation/wakeful-loop.js';
import { isRefusal } from '../../target/agent-target.js';
import type { Verdict } from '../../turn/verdict.js';
import type { DispatchParts } from '../dispatch-parts.js';
import { isWholeDatabase } from '../storage/storage-fault.js';
import type { TurnCompanion, TurnService } from '../turns/turn-service.js';
import { Deferrals } from './deferrals.js';
import type { Reminder } from './reminder.js';
import * as events from './reminder-events.js';
import { afterDelivery, findReminder, started, withoutReminder, withReminder } from './reminder-set.js';
import { nextStep } from './selection.js';

// The loop delivers the effective reminder once it is due (gateway §4.4):
//
//   asleep ──due──▶ at the gate ──admission open, nothing runs, nothing queued──▶ delivering ──end──▶ asleep
//                      │   ▲
//                      └───┘ otherwise deferred: again after a change, or 0.2 s
//
// `executing` is in the set, and in the transaction of the turn, from the claim to the end.

const retryMilliseconds = 200;
const faultMilliseconds = 1000;
/** A timer does not see the clock being set, or the machine asleep: due times are compared again this often. */
const longestSleep = 10_000;

export interface ReminderLoopParts extends DispatchParts {
  /** Takes faults that must not be silent. */
  report: (fault: string) => void;
}

export class ReminderLoop {
  readonly #parts: ReminderLoopParts;
  readonly #loop: WakefulLoop;
  readonly #deferrals: Deferrals;

  constructor(parts: ReminderLoopParts) {
    this.#parts = parts;
    this.#deferrals = new Deferrals(parts.journal, parts.clock);
    this.#loop = new WakefulLoop({
      step: () => this.#step(),
      fault: (error) => {
        // Who watches over the queue tells of that.
        if (!isWholeDatabase(error)) parts.report(`the reminders met a fault and go on: ${error.message}`);
        return faultMilliseconds;
      },
      clock: parts.clock,
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** The set has changed, or the agent may be free. */
  wake(): void {
    this.#loop.wake();
  }

  /** Delivers nothing more; resolves when the loop has left. A delivery that runs is ended by {@link TurnService}. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    // What is only told is no reason to keep a gateway from going down.
    await this.#deferrals.flush().catch((error: Error) => this.#parts.report(error.message));
  }

  /** @returns for how many milliseconds there is nothing to do. */
  async #step(): Promise<number> {
    const { journal, board, target } = this.#parts;
    const next = nextStep(journal.memory.reminders, this.#now());
    if ('at' in next)
      return next.at === null
        ? WakefulLoop.untilWoken
        : Math.min(Math.max(1, next.at - this.#now()), longestSleep);
    await board.current();
    // A server may have become busy since the last look, and what it refuses is not sent again.
    if (target.remote && this.#closed() === null) await board.look();
    // While the agent was looked at the set may have changed.
    if (!this.#isStill(next.deliver) || this.#loop.stopping) return 0;
    const closed = this.#closed();
    if (closed === null) return (await this.#deliver(next.deliver)) ? 0 : retryMilliseconds;
    await this.#deferrals.note(next.deliver, closed);
    return retryMilliseconds;
  }

  /** What keeps every reminder back just now; null when nothing does. */
  #closed(): string | null {
    const { board, slot } = this.#parts;
    const { request_admission, terminal_surface_eligibility, active_execution, queue_depth } =
      board.snapshot();
    const open =
      request_admission === 'open' &&
      terminal_surface_eligibility !== 'not_ready' &&
      active_execution === 'idle' &&
      queue_depth === 0 &&
      slot.free;
    return open
      ? null
      : `request_admission='${request_admission}', terminal_surface_eligibility='${terminal_surface_eligibility}', active_execution='${active_execution}', queue_depth=${queue_depth}`;
  }

  /** Whether this very reminder, unchanged, is the one to deliver. */
  #isStill(reminder: Reminder): boolean {
    const next = nextStep(this.#parts.journal.memory.reminders, this.#now());
    return 'deliver' in next && next.deliver === reminder;
  }

  /** A fault fails this delivery, lest the reminder keep all others from theirs. @returns false when to try it again. */
  async #deliver(reminder: Reminder): Promise<boolean> {
    try {
      return await this.#start(reminder);
    } catch (error) {
      if (isWholeDatabase(error)) throw error;
      this.#parts.report(`reminder ${reminder.id} met a fault: ${(error as Error).message}`);
      return this.#fail(reminder, `The gateway met a fault: ${(error as Error).message}`);
    }
  }

  async #start(reminder: Reminder): Promise<boolean> {
    const { target, turns, tool, finals } = this.#parts;
    if (reminder.delivery.kind !== 'prompt')
      return this.#fail(reminder, 'Raw keys are unsupported for this agent.');
    const resolved = target.resolve({ chatSession: null, execution: null }, { override: null });
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
    const turn = await turns.begin(order, this.#companion(reminder));
    if (!turn) return false;
    this.#deferrals.forget(reminder.id);
    turn.over.then(() => finals.reached(turnId)).catch(() => undefined);
    return true;
  }

  #companion(reminder: Reminder): TurnCompanion {
    return {
      claimed: (atUtc) => this.#isStill(reminder) && this.#begin(atUtc, reminder),
      ended: (atUtc, verdict) => this.#end(atUtc, reminder.id, errorOf(verdict)),
    };
  }

  /** A delivery that could not even begin. */
  async #fail(reminder: Reminder, detail: string): Promise<boolean> {
    await this.#parts.journal.write((atUtc) => {
      if (this.#isStill(reminder) && this.#begin(atUtc, reminder)) this.#end(atUtc, reminder.id, detail);
    });
    return true;
  }

  #begin(atUtc: string, reminder: Reminder): true {
    const { journal } = this.#parts;
    const running = started(reminder, this.#now());
    journal.memory.reminders = withReminder(journal.memory.reminders, running);
    journal.event(atUtc, events.begun(running));
    return true;
  }

  /** Good or bad, a delivery is not repeated (gateway §4.4). */
  #end(atUtc: string, id: string, error: string | null): void {
    const { journal } = this.#parts;
    const reminder = findReminder(journal.memory.reminders, id);
    if (!reminder) return;
    const now = this.#parts.clock.now();
    const after = afterDelivery(reminder, now.getTime());
    const { reminders } = journal.memory;
    journal.memory.reminders = after ? withReminder(reminders, after) : withoutReminder(reminders, id);
    journal.event(atUtc, events.finished(reminder, after, toSecondStamp(now), error));
  }

  #now(): number {
    return this.#parts.clock.now().getTime();
  }
}

const errorOf = (verdict: Verdict): string | null =>
  verdict.outcome === 'completed' ? null : (verdict.error?.detail ?? verdict.outcome);
