import type { AgentTarget, ResolvedTurn, TurnAssignment } from '../agent/target/agent-target.js';
import { internalFault, type RecordError } from '../run/record-error.js';
import {
  forceLadder,
  interruptLadder,
  noSigns,
  type RunningTurn,
  type StopOutcome,
  type TurnObserver,
  type TurnSigns,
} from '../run/running-turn.js';
import { isWholeDatabase } from '../storage/storage-fault.js';
import {
  type BegunTurn,
  type ExecutionSlot,
  LiveTurn,
  nothingToStop,
  type Reservation,
  type SlotHolder,
  type TurnCompanion,
  type TurnOrder,
} from './live-turn.js';
import type { Verdict } from './turn-end.js';
import type { TurnOwnership } from './turn-ownership.js';
import { deliveryRuleOf, type RecorderParts, TurnRecorder } from './turn-recorder.js';
import { processesOf } from './turn-table.js';

// The life of a turn:
//
//   claimed ──start──▶ handed_over ──first sign of the agent──▶ confirmed
//      │                    │                                      │
//      └──── failed ◀───────┴────────────── ended ◀────────────────┘
//
// `claimed` is on disk before anything is started; `ended` is on disk before the slot is free again. Every step is one
// transaction with its event. In each state the owner may leave the turn, or die, and another owner may adopt it.

export interface TurnServiceParts extends RecorderParts {
  /** Guards against a second process that runs turns of this session: the two would resume one conversation twice. */
  ownership: TurnOwnership;
  target: AgentTarget;
  slot: ExecutionSlot;
  /** Whether a turn that is begun or adopted here goes on when this process dies: then the next owner adopts it. */
  outlive?: boolean;
  /** Called when the end of a turn is on disk and the slot is free again. */
  ended: (turnId: string) => void;
}

/** Runs turns, one at a time, and records what becomes of them. */
export class TurnService {
  readonly #parts: TurnServiceParts;
  readonly #closing = new AbortController();
  #live: LiveTurn | null = null;

  constructor(parts: TurnServiceParts) {
    this.#parts = parts;
  }

  /**
   * The turn that this process follows, and that {@link interrupt} can stop. It is the {@link ExecutionSlot.holder}, with one
   * exception: a turn that was left holds the slot until this process ends, and cannot be stopped here any more.
   */
  get liveTurnId(): string | null {
    return this.#live?.turnId ?? null;
  }

  /**
   * Resolves at once, unless the turn that holds the slot has ended in its row: then it resolves when the slot is free. A reader
   * sees that row a moment before its transaction is on disk, and a prompt that follows must not find the agent busy.
   */
  async freedByEnd(): Promise<void> {
    const live = this.#live;
    const row = live && this.#parts.table.find(live.turnId);
    if (row && row.state !== 'running') await live.over;
  }

  /**
   * Claims the slot and starts the turn.
   * @returns null when the slot was taken, the companion withdrew, or this process goes down.
   */
  async begin(
    order: TurnOrder,
    companion: TurnCompanion,
    reservation?: Reservation,
  ): Promise<BegunTurn | null> {
    if (this.#closing.signal.aborted) {
      reservation?.cancel();
      return null;
    }
    const known = { delivery: 'claimed', processes: [] } as const;
    const recorder = new TurnRecorder(
      this.#parts,
      order,
      known,
      deliveryRuleOf(this.#parts.target, companion.delivered),
    );
    const live = this.#hold(order, new LiveTurn(order.turnId, recorder, null), reservation);
    if (!live) return null;
    let begun: boolean;
    try {
      begun = await this.#parts.journal.write((atUtc) => this.#claim(atUtc, order, companion));
    } catch (error) {
      this.#free(live);
      throw error;
    }
    if (!begun) {
      this.#free(live);
      return null;
    }
    return this.#carry(live, startTurn(order, recorder), order.timeLimitSeconds, companion);
  }

  /**
   * Takes over a turn that another owner left running, or was running when it died: follows it to its end as if it had
   * been begun here. Nothing is handed over again.
   * @returns null when the turn does not run, the slot is taken, this process goes down, or the turn cannot be followed:
   *   turn-end.ts ends such a turn.
   * @throws {UnusableFile} when the session cannot be read.
   */
  adopt(turnId: string, companion: Pick<TurnCompanion, 'delivered' | 'ended'>): BegunTurn | null {
    const { table, target, clock } = this.#parts;
    const row = table.find(turnId);
    if (this.#closing.signal.aborted || row?.state !== 'running') return null;
    const processes = processesOf(row);
    const recorder = new TurnRecorder(
      this.#parts,
      { turnId, requestId: row.request_id },
      { delivery: row.delivery_state, processes },
      deliveryRuleOf(target, companion.delivered),
    );
    const plan = table.plan(turnId);
    const { origin, started_at_utc } = row;
    const live = this.#hold({ turnId, origin }, new LiveTurn(turnId, recorder, plan?.stop ?? null));
    if (!live) return null;
    let turn: RunningTurn | null = null;
    try {
      const delivered = row.delivery_state === 'confirmed';
      const stopping = plan !== null && plan.stop !== null;
      turn = target.adopt({ turnId, processes, delivered, pasted: table.pasted(turnId), stopping }, recorder);
    } finally {
      if (!turn) this.#free(live);
    }
    if (!turn) return null;
    const limit = plan?.timeLimitSeconds ?? null;
    const ran = (clock.now().getTime() - Date.parse(started_at_utc)) / 1000;
    return this.#carry(live, turn, limit && Math.max(0, limit - ran), companion);
  }

  /**
   * Interrupts the turn if it is the running one. Resolves when it has ended, or when the server that runs it did not end
   * it.
   */
  async interrupt(turnId: string): Promise<StopOutcome> {
    const live = this.#live;
    return live?.turnId === turnId ? live.stop('interrupt', interruptLadder) : nothingToStop;
  }

  /**
   * Ends the running turn, because a forced prompt takes its place.
   * @returns the turn that was ended; null when there was none, or it ended by itself.
   */
  async replaceLive(): Promise<string | null> {
    const live = this.#live;
    const stopped = await live?.stop('replace', forceLadder);
    return live && stopped?.outcome === 'stopped' ? live.turnId : null;
  }

  /**
   * Ends the running turn and lets no turn begin any more, because this process goes down. A turn of an agent that stays
   * is left running.
   * @param requestedByAnother whether another process is to go on with the turn: then it is left to that process.
   */
  async stopForShutdown(requestedByAnother = false): Promise<void> {
    if (requestedByAnother || this.#parts.target.interactive) return this.leaveRunning();
    this.#closing.abort();
    await this.#live?.stop('shutdown', forceLadder);
  }

  /** Leaves the running turn to the next owner and lets no turn begin any more. Its row stays `running`. */
  async leaveRunning(): Promise<void> {
    this.#closing.abort();
    const { journal, table } = this.#parts;
    const turnId = this.liveTurnId;
    // Without this note the next owner takes the turn for the leftover of a crash.
    if (turnId !== null) await journal.write(() => table.goingOn.note(turnId)).catch(() => undefined);
    await this.#live?.leave();
  }

  /** Takes the slot. @returns null when it is taken. */
  #hold({ turnId, origin }: SlotHolder, live: LiveTurn, reservation?: Reservation): LiveTurn | null {
    const { slot, ownership } = this.#parts;
    ownership.require();
    if (reservation) reservation.take({ turnId, origin });
    else if (!slot.tryTake({ turnId, origin })) return null;
    this.#live = live;
    return live;
  }

  #free(live: LiveTurn): void {
    if (this.#live === live) this.#live = null;
    this.#parts.slot.release(live.turnId);
    live.finish();
  }

  /** Follows a turn to its end. */
  #carry(
    live: LiveTurn,
    turn: RunningTurn,
    timeLimitSeconds: number | null,
    companion: Pick<TurnCompanion, 'ended'>,
  ): BegunTurn {
    live.started(turn);
    const failed = (error: Error): void =>
      this.#parts.report(`turn ${live.turnId} hit an internal error: ${error.message}`);
    const over = this.#conclude(live, turn, companion);
    if (timeLimitSeconds !== null) live.limit(timeLimitSeconds, this.#parts.clock).catch(failed);
    return { delivered: live.recorder.delivered, over };
  }

  async #conclude(
    live: LiveTurn,
    turn: RunningTurn,
    companion: Pick<TurnCompanion, 'ended'>,
  ): Promise<Verdict | null> {
    try {
      const signs = await turn.ended;
      if (signs !== null) return await this.#end(live, signs, companion);
    } catch (error) {
      return await this.#endByFault(live, error as Error, companion);
    }
    await live.recorder.leave();
    // The slot stays held: the turn runs on.
    if (this.#live === live) this.#live = null;
    live.finish();
    return null;
  }

  async #end(live: LiveTurn, signs: TurnSigns, companion: Pick<TurnCompanion, 'ended'>): Promise<Verdict> {
    const verdict = live.judge(signs);
    this.#settle(live.turnId, signs, verdict);
    // Only a process that goes down stops trying; the next owner finds that the end was not recorded.
    const also = (atUtc: string): void => companion.ended(atUtc, verdict);
    await live.recorder.end({ ...signs, verdict }, also, this.#closing.signal);
    this.#over(live);
    return verdict;
  }

  /** Ends a turn whose end hit an internal error: a slot that stays held would stop the queue forever. */
  async #endByFault(live: LiveTurn, fault: Error, companion: Pick<TurnCompanion, 'ended'>): Promise<Verdict> {
    const { report } = this.#parts;
    const { turnId, recorder } = live;
    report(`turn ${turnId} hit an internal error at its end: ${fault.message}`);
    const verdict: Verdict = { outcome: 'failed', error: internalFault(fault) };
    const outcomeUnknown =
      'the gateway hit an internal error before the agent showed that it took the prompt';
    const ending = { ...noSigns, verdict, outcomeUnknown };
    const also = (atUtc: string): void => companion.ended(atUtc, verdict);
    await recorder
      .endByFault(ending, also)
      .catch((error: unknown) => {
        if (isWholeDatabase(error)) throw error;
        // The fault may be in the companion's part of the end.
        return recorder.endByFault(ending, () => undefined);
      })
      .catch((error: Error) =>
        report(`turn ${turnId} is over, and only the next start will note that: ${error.message}`),
      );
    this.#over(live);
    return verdict;
  }

  #over(live: LiveTurn): void {
    this.#free(live);
    this.#parts.ended(live.turnId);
  }

  #claim(atUtc: string, order: TurnOrder, companion: TurnCompanion): boolean {
    if (!companion.claimed(atUtc)) return false;
    const { table, journal } = this.#parts;
    table.insert({
      turn_id: order.turnId,
      origin: order.origin,
      request_id: order.requestId,
      tool: order.tool,
      started_at_utc: atUtc,
      model: order.model.name,
    });
    table.insertPlan(order.turnId, order);
    if (this.#parts.outlive) table.goingOn.note(order.turnId);
    journal.event(atUtc, {
      kind: 'turn_claimed',
      subjectId: order.turnId,
      data: { turn_id: order.turnId, origin: order.origin, request_id: order.requestId, at_utc: atUtc },
    });
    return true;
  }

  #settle(turnId: string, signs: TurnSigns, verdict: Verdict): void {
    try {
      const sessionLost = verdict.error?.code === 'provider_session_lost';
      this.#parts.target.settle({
        sessionId: signs.sessionId,
        sessionLost,
        completed: verdict.outcome === 'completed',
      });
    } catch (error) {
      this.#parts.report(
        `turn ${turnId}: its conversation (${signs.sessionId ?? 'no new one'}) could not be pinned; that is done before the next turn, unless the gateway stops before: ${(error as Error).message}`,
      );
    }
  }
}

/** Hands a prompt over; an error thrown on the way becomes the end of its turn. */
function startTurn(order: ResolvedTurn & TurnAssignment, observer: TurnObserver): RunningTurn {
  try {
    return order.start(order, observer);
  } catch (error) {
    const startFault: RecordError = { code: 'dispatch_failed', detail: (error as Error).message };
    return {
      ended: Promise.resolve({ ...noSigns, startFault }),
      stop: async () => nothingToStop,
      leave: () => undefined,
    };
  }
}
