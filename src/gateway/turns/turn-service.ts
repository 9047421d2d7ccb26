import { deferred } from '../../foundation/deferred.js';
import type { AgentTarget, TurnAssignment } from '../../target/agent-target.js';
import type { ExecutionSlot, Reservation } from '../../turn/execution-slot.js';
import {
  forceLadder,
  interruptLadder,
  type RunningTurn,
  type StopLadder,
  type TurnObserver,
} from '../../turn/running-turn.js';
import type { TurnSigns } from '../../turn/turn-signs.js';
import type { TurnOrigin } from '../../turn/turn-table.js';
import { judge, type StopReason, type Verdict } from '../../turn/verdict.js';
import type { Journal } from '../journal.js';

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
  running: Promise<RunningTurn>;
  stop: StopReason | null;
  handedOver: Promise<boolean>;
  over: Promise<Verdict>;
}

type Signal = StopLadder[number]['signal'];

/** Runs turns, one at a time, and writes down what becomes of them. */
export class TurnService {
  readonly #target: AgentTarget;
  readonly #journal: Journal;
  readonly #slot: ExecutionSlot;
  readonly #report: (fault: string) => void;
  #live: Live | null = null;

  /** @param report takes faults that end no turn but must not be silent. */
  constructor(target: AgentTarget, journal: Journal, slot: ExecutionSlot, report: (fault: string) => void) {
    this.#target = target;
    this.#journal = journal;
    this.#slot = slot;
    this.#report = report;
  }

  /** The turn that holds the slot, if any. */
  get liveTurnId(): string | null {
    return this.#live?.order.turnId ?? null;
  }

  /**
   * Claims the slot and starts the turn.
   * @returns null when the slot was taken, or the companion withdrew. Otherwise `handedOver` tells whether the agent
   *   got the prompt, and `over` how it ended; neither rejects.
   */
  async begin(
    order: TurnOrder,
    companion: TurnCompanion,
    reservation?: Reservation,
  ): Promise<{ handedOver: Promise<boolean>; over: Promise<Verdict> } | null> {
    const holder = { turnId: order.turnId, origin: order.origin };
    if (reservation) reservation.take(holder);
    else if (!this.#slot.tryTake(holder)) return null;
    const running = deferred<RunningTurn>();
    const handedOver = deferred<boolean>();
    const over = deferred<Verdict>();
    const live: Live = {
      order,
      running: running.promise,
      stop: null,
      handedOver: handedOver.promise,
      over: over.promise,
    };
    this.#live = live;
    const free = (): void => {
      if (this.#live === live) this.#live = null;
      this.#slot.release(order.turnId);
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
    const turn = this.#start(order, (delivered) => handedOver.resolve(delivered));
    running.resolve(turn);
    this.#conclude(live, turn, companion).then((verdict) => {
      handedOver.resolve(false);
      free();
      over.resolve(verdict);
    }, this.#failLoudly);
    return { handedOver: live.handedOver, over: live.over };
  }

  /** Interrupts that very turn. Resolves when it has ended, with the strongest signal it took; null when it is over. */
  async interrupt(turnId: string): Promise<Signal | null> {
    return this.#stop(turnId, 'interrupt', interruptLadder);
  }

  /** Ends whatever runs, because a forced prompt takes its place (decision 44). */
  async replaceLive(): Promise<void> {
    if (this.#live) await this.#stop(this.#live.order.turnId, 'replace', forceLadder);
  }

  /** Ends whatever runs, because the gateway goes down. */
  async stopForShutdown(): Promise<void> {
    if (this.#live) await this.#stop(this.#live.order.turnId, 'interrupt', forceLadder);
  }

  async #stop(turnId: string, reason: StopReason, ladder: StopLadder): Promise<Signal | null> {
    const live = this.#live;
    if (live?.order.turnId !== turnId) return null;
    live.stop = live.stop === 'replace' ? live.stop : reason;
    const turn = await live.running;
    const strongest = await turn.stop(ladder);
    await live.over;
    return strongest;
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

  #start(order: TurnOrder, delivered: (reached: boolean) => void): RunningTurn {
    try {
      return this.#target.start(order, this.#observe(order.turnId, delivered));
    } catch (error) {
      const startFault = { code: 'dispatch_failed', detail: (error as Error).message };
      return { ended: Promise.resolve({ ...noSigns, startFault }), stop: async () => 'SIGINT' };
    }
  }

  #observe(turnId: string, delivered: (reached: boolean) => void): TurnObserver {
    const processes: unknown[] = [];
    let confirmed = false;
    const deliver = (state: 'handed_over' | 'confirmed', evidence: string): void => {
      this.#note((atUtc) => {
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
        this.#note(() => this.#journal.turns.noteProcesses(turnId, json));
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
    };
  }

  async #conclude(live: Live, turn: RunningTurn, companion: TurnCompanion): Promise<Verdict> {
    const { order } = live;
    const signs = await turn.ended;
    const verdict = judge(signs, live.stop);
    this.#settle(signs, verdict);
    await this.#journal.write((atUtc) => this.#end(atUtc, order, signs, verdict, companion));
    return verdict;
  }

  #end(atUtc: string, order: TurnOrder, signs: TurnSigns, verdict: Verdict, companion: TurnCompanion): void {
    const { turns } = this.#journal;
    const state = turns.find(order.turnId)?.delivery_state;
    if (state === 'claimed') turns.deliver(order.turnId, 'failed', atUtc, verdict.error?.detail ?? null);
    if (state === 'handed_over')
      turns.deliver(
        order.turnId,
        'unconfirmed',
        atUtc,
        'the agent ended without showing that it took the prompt',
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

  #note(work: (atUtc: string) => void): void {
    this.#journal.write(work).catch(this.#failLoudly);
  }

  #failLoudly = (error: unknown): void => {
    this.#report(`queue.sqlite refused a change: ${(error as Error).message}`);
  };
}

const noSigns: TurnSigns = {
  startFault: null,
  exitCode: null,
  signal: null,
  completion: null,
  lastError: null,
  stderrTail: '',
  sessionLost: false,
  supervisorLost: false,
  oversizedRows: 0,
  sessionId: null,
  answer: null,
};
