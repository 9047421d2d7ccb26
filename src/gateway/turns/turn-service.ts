import type { Clock } from '../../foundation/clock.js';
import { deferred } from '../../foundation/deferred.js';
import { toSecondStamp } from '../../foundation/timestamps.js';
import type { AgentTarget, TurnAssignment } from '../../target/agent-target.js';
import type { ExecutionSlot, Reservation } from '../../turn/execution-slot.js';
import {
  forceLadder,
  interruptLadder,
  type RunningTurn,
  type StopLadder,
  type StopOutcome,
  type TurnObserver,
} from '../../turn/running-turn.js';
import { noSigns, type TurnSigns } from '../../turn/turn-signs.js';
import type { TurnOrigin } from '../../turn/turn-table.js';
import { judge, type StopReason, type Verdict } from '../../turn/verdict.js';
import type { Journal } from '../journal.js';
import { isWholeDatabase } from '../storage/storage-fault.js';

// The life of a turn:
//
//   claimed ──start──▶ handed_over ──first sign of the agent──▶ confirmed
//      │                    │                                      │
//      └──── failed ◀───────┴────────────── ended ◀────────────────┘
//
// `claimed` is on disk before anything is started; `ended` is on disk before the slot is free again. Every step is one
// transaction with its event.

export interface TurnOrder extends TurnAssignment {
  origin: TurnOrigin;
  requestId: string | null;
  tool: string;
}

/** What else belongs into the transactions of a turn. */
export interface TurnCompanion {
  /** @returns false when the turn must not begin after all (the request was cancelled meanwhile). */
  claimed(atUtc: string): boolean;
  ended(atUtc: string, verdict: Verdict): void;
}

interface Live {
  order: TurnOrder;
  /** Null when it was claimed but did not begin after all. */
  running: Promise<RunningTurn | null>;
  stop: StopReason | null;
  /** The interrupt under way: a second one joins it and sends no signals of its own. */
  interrupting: Promise<StopOutcome> | null;
  over: Promise<unknown>;
  /** What was seen of it and is not on disk yet, oldest first. */
  unnoted: Note[];
}
interface Note {
  write: () => void;
  /** The transaction that wrote it last; it may have gone back. */
  writtenIn: number;
}

const nothingToStop: StopOutcome = { outcome: 'no_op' };
/** Timers of Node hold no more. */
const longestTimer = 2 ** 31 - 1;

/** Runs turns, one at a time, and writes down what becomes of them. */
export class TurnService {
  readonly #target: AgentTarget;
  readonly #journal: Journal;
  readonly #slot: ExecutionSlot;
  readonly #clock: Clock;
  readonly #report: (fault: string) => void;
  readonly #closing = new AbortController();
  #live: Live | null = null;

  /** @param report takes faults that end no turn but must not be silent. */
  constructor(
    target: AgentTarget,
    journal: Journal,
    slot: ExecutionSlot,
    clock: Clock,
    report: (fault: string) => void,
  ) {
    this.#target = target;
    this.#journal = journal;
    this.#slot = slot;
    this.#clock = clock;
    this.#report = report;
  }

  /** The turn that holds the slot, if any. */
  get liveTurnId(): string | null {
    return this.#live?.order.turnId ?? null;
  }

  /**
   * Claims the slot and starts the turn.
   * @returns null when the slot was taken, the companion withdrew, or the gateway goes down. Otherwise `handedOver` tells whether the agent
   *   got the prompt, and `over` how it ended; neither rejects.
   */
  async begin(
    order: TurnOrder,
    companion: TurnCompanion,
    reservation?: Reservation,
  ): Promise<{ handedOver: Promise<boolean>; over: Promise<Verdict> } | null> {
    if (this.#closing.signal.aborted) {
      reservation?.cancel();
      return null;
    }
    const holder = { turnId: order.turnId, origin: order.origin };
    if (reservation) reservation.take(holder);
    else if (!this.#slot.tryTake(holder)) return null;
    const running = deferred<RunningTurn | null>();
    const handedOver = deferred<boolean>();
    const over = deferred<Verdict>();
    const ended = deferred<void>();
    const live: Live = {
      order,
      running: running.promise,
      stop: null,
      interrupting: null,
      over: ended.promise,
      unnoted: [],
    };
    this.#live = live;
    const free = (): void => {
      if (this.#live === live) this.#live = null;
      this.#slot.release(order.turnId);
      running.resolve(null);
      ended.resolve();
    };
    let begun: boolean;
    try {
      begun = await this.#journal.write((atUtc) => this.#claim(atUtc, order, companion));
    } catch (error) {
      free();
      throw error;
    }
    if (!begun) {
      free();
      return null;
    }
    const turn = this.#start(live, (delivered) => handedOver.resolve(delivered));
    running.resolve(turn);
    this.#limit(order, over.promise);
    this.#conclude(live, turn, companion).then((verdict) => {
      handedOver.resolve(false);
      free();
      over.resolve(verdict);
    }, this.#failLoudly);
    return { handedOver: handedOver.promise, over: over.promise };
  }

  /** Interrupts that very turn. Resolves when it has ended, or when the server that runs it would not end it. */
  async interrupt(turnId: string): Promise<StopOutcome> {
    return this.#stop(turnId, 'interrupt', interruptLadder);
  }

  /** Ends whatever runs, because a forced prompt takes its place (decision 44). */
  async replaceLive(): Promise<void> {
    if (this.#live) await this.#stop(this.#live.order.turnId, 'replace', forceLadder);
  }

  /** Ends whatever runs and lets nothing begin any more, because the gateway goes down. */
  async stopForShutdown(): Promise<void> {
    this.#closing.abort();
    if (this.#live) await this.#stop(this.#live.order.turnId, 'shutdown', forceLadder);
  }

  /** Ends a turn that outlasts its time, as an interrupt would. */
  #limit(order: TurnOrder, over: Promise<Verdict>): void {
    if (order.timeLimitSeconds === null) return;
    const ended = new AbortController();
    over.then(() => ended.abort(), this.#failLoudly);
    this.#clock
      .sleep(Math.min(order.timeLimitSeconds * 1000, longestTimer), ended.signal)
      .then(() => (ended.signal.aborted ? null : this.#stop(order.turnId, 'time_limit', interruptLadder)))
      .catch(this.#failLoudly);
  }

  async #stop(turnId: string, reason: StopReason, ladder: StopLadder): Promise<StopOutcome> {
    const live = this.#live;
    if (live?.order.turnId !== turnId) return nothingToStop;
    // Whoever comes first says why it ended, save that a forced prompt is always named.
    if (live.stop !== 'replace') live.stop = reason === 'replace' ? reason : (live.stop ?? reason);
    const turn = await live.running;
    if (!turn) return nothingToStop;
    if (reason === 'interrupt') live.interrupting ??= turn.stop(ladder, false);
    const stopped = await (reason === 'interrupt' ? live.interrupting : turn.stop(ladder, true));
    // A turn that would not end goes on; another interrupt is worth another try.
    if (stopped?.outcome === 'failed' && reason === 'interrupt') live.interrupting = null;
    else await live.over;
    return stopped ?? nothingToStop;
  }

  #claim(atUtc: string, order: TurnOrder, companion: TurnCompanion): boolean {
    if (!companion.claimed(atUtc)) return false;
    this.#journal.turns.insert({
      turn_id: order.turnId,
      origin: order.origin,
      request_id: order.requestId,
      tool: order.tool,
      started_at_utc: atUtc,
      model: order.model.name,
    });
    this.#journal.event(atUtc, {
      kind: 'turn_claimed',
      subjectId: order.turnId,
      data: { turn_id: order.turnId, origin: order.origin, request_id: order.requestId, at_utc: atUtc },
    });
    return true;
  }

  #start(live: Live, delivered: (reached: boolean) => void): RunningTurn {
    try {
      return this.#target.start(live.order, this.#observe(live, delivered));
    } catch (error) {
      const startFault = { code: 'dispatch_failed', detail: (error as Error).message };
      return { ended: Promise.resolve({ ...noSigns, startFault }), stop: async () => nothingToStop };
    }
  }

  #observe(live: Live, delivered: (reached: boolean) => void): TurnObserver {
    const { turnId } = live.order;
    const processes: unknown[] = [];
    let confirmed = false;
    const deliver = (state: 'handed_over' | 'confirmed', evidence: string): void => {
      const atUtc = toSecondStamp(this.#clock.now());
      this.#note(live, () => {
        this.#journal.turns.deliver(turnId, state, atUtc, evidence);
        this.#journal.event(atUtc, {
          kind: `turn_${state}`,
          subjectId: turnId,
          data: { turn_id: turnId, evidence, at_utc: atUtc },
        });
      });
    };
    return {
      spawned: (process) => {
        processes.push(process);
        const json = JSON.stringify(processes);
        this.#note(live, () => this.#journal.turns.noteProcesses(turnId, json));
      },
      handedOver: (evidence) => {
        deliver('handed_over', evidence);
        delivered(true);
      },
      confirmed: (evidence) => {
        if (confirmed) return;
        confirmed = true;
        deliver('confirmed', evidence);
      },
      sessionSeen: () => undefined,
      fault: this.#report,
    };
  }

  async #conclude(live: Live, turn: RunningTurn, companion: TurnCompanion): Promise<Verdict> {
    const { order } = live;
    const signs = await turn.ended;
    const verdict = judge(signs, live.stop);
    this.#settle(signs, verdict);
    // What has happened gets on disk before the slot is free. Only a gateway that goes down gives up.
    await this.#journal.writeAtLast(
      (atUtc) => {
        this.#writeNotes(live);
        this.#end(atUtc, order, signs, verdict, companion);
      },
      this.#failLoudly,
      this.#closing.signal,
    );
    return verdict;
  }

  #end(atUtc: string, order: TurnOrder, signs: TurnSigns, verdict: Verdict, companion: TurnCompanion): void {
    const { turns } = this.#journal;
    const state = turns.find(order.turnId)?.delivery_state;
    const unknown = signs.deliveryUnknown;
    if (state === 'claimed' && unknown === null)
      turns.deliver(order.turnId, 'failed', atUtc, verdict.error?.detail ?? null);
    if (state === 'handed_over' || (state === 'claimed' && unknown !== null))
      turns.deliver(
        order.turnId,
        'unconfirmed',
        atUtc,
        unknown ?? 'the agent ended without showing that it took the prompt',
      );
    turns.end({
      turnId: order.turnId,
      endedAtUtc: atUtc,
      outcome: verdict.outcome,
      providerSessionId: signs.sessionId,
      exitCode: signs.exitCode,
      signal: signs.signal,
      errorCode: verdict.error?.code ?? null,
      errorDetail: verdict.error?.detail ?? null,
      answerText: signs.answer?.text ?? null,
      answerTruncated: signs.answer?.truncated ?? false,
    });
    this.#journal.event(atUtc, {
      kind: 'turn_ended',
      subjectId: order.turnId,
      data: {
        turn_id: order.turnId,
        outcome: verdict.outcome,
        error_code: verdict.error?.code ?? null,
        at_utc: atUtc,
      },
    });
    if (verdict.error?.code === 'provider_session_lost') {
      this.#journal.event(atUtc, {
        kind: 'provider_session_lost',
        subjectId: order.turnId,
        data: { turn_id: order.turnId, session: order.session, at_utc: atUtc },
      });
    }
    companion.ended(atUtc, verdict);
  }

  #settle(signs: TurnSigns, verdict: Verdict): void {
    try {
      const sessionLost = verdict.error?.code === 'provider_session_lost';
      this.#target.settle({
        sessionId: signs.sessionId,
        sessionLost,
        completed: verdict.outcome === 'completed',
      });
    } catch (error) {
      this.#report(`the conversation of the turn could not be pinned: ${(error as Error).message}`);
    }
  }

  /** What the queue refuses is noted together with what comes next, at the latest with the end. */
  #note(live: Live, write: () => void): void {
    live.unnoted.push({ write, writtenIn: -1 });
    this.#journal
      .write(() => this.#writeNotes(live))
      .then((transaction) => {
        live.unnoted = live.unnoted.filter(({ writtenIn }) => writtenIn !== transaction);
      }, this.#failLoudly);
  }

  /** Once in a transaction, whoever asks. @returns the transaction. */
  #writeNotes(live: Live): number {
    const { transaction } = this.#journal;
    for (const note of live.unnoted) {
      if (note.writtenIn === transaction) continue;
      note.writtenIn = transaction;
      note.write();
    }
    return transaction;
  }

  #failLoudly = (error: unknown): void => {
    // Told of by who watches over the queue.
    if (isWholeDatabase(error)) return;
    this.#report(`queue.sqlite refused a change: ${(error as Error).message}`);
  };
}
