import { createHash } from 'node:crypto';
import type { components } from '../../../generated/gateway/types.js';
import type { Clock } from '../../foundation/clock.js';
import { newRequestId } from '../../foundation/ids.js';
import { toSortedJson } from '../../foundation/json-text.js';
import type { SessionPaths } from '../../session/session-paths.js';
import { hasRun, listArtifacts, turnArtifacts } from '../../session/turn-artifacts.js';
import type { AgentTarget } from '../../target/agent-target.js';
import type { ExecutionSlot } from '../../turn/execution-slot.js';
import type { Journal } from '../journal.js';
import type { StatusBoard } from '../status/status-board.js';
import type { Finals } from './finals.js';
import type { InterruptBindings } from './interrupt-bindings.js';
import {
  type QueuePlace,
  type RequestRecord,
  type TurnRecord,
  toRequestRecord,
  toTurnRecord,
  type WaitingReason,
} from './request-record.js';
import type { PromptPayload, RequestRow, RequestState } from './request-row.js';

type RequestCreate = components['schemas']['RequestCreate'];
export type RequestAccepted = components['schemas']['RequestAccepted'];

export interface HttpRefusal {
  status: 409 | 422 | 503;
  detail: string;
}
export type Acceptance = { accepted: RequestAccepted; replayed: boolean } | { refusal: HttpRefusal };

const maxIdDraws = 20;

/** The durable queue as callers see it: accept, read, list, cancel, reconcile. */
export class RequestService {
  readonly #journal: Journal;
  readonly #board: StatusBoard;
  readonly #slot: ExecutionSlot;
  readonly #target: AgentTarget;
  readonly #paths: SessionPaths;
  readonly #finals: Finals;
  readonly #bindings: InterruptBindings;
  readonly #clock: Clock;
  readonly #wakeWorker: () => void;

  constructor(parts: {
    journal: Journal;
    board: StatusBoard;
    slot: ExecutionSlot;
    target: AgentTarget;
    paths: SessionPaths;
    finals: Finals;
    bindings: InterruptBindings;
    clock: Clock;
    wakeWorker: () => void;
  }) {
    this.#journal = parts.journal;
    this.#board = parts.board;
    this.#slot = parts.slot;
    this.#target = parts.target;
    this.#paths = parts.paths;
    this.#finals = parts.finals;
    this.#bindings = parts.bindings;
    this.#clock = parts.clock;
    this.#wakeWorker = parts.wakeWorker;
  }

  /** Stores a request, or says why not; a refused one leaves no row (gateway §2.3, decisions 10 and 38). */
  async accept(request: RequestCreate, idempotencyKey: string | null): Promise<Acceptance> {
    await this.#board.current();
    const payloadJson = payloadJsonOf(request);
    const acceptance = await this.#journal.write((atUtc) =>
      this.#admit(atUtc, request, payloadJson, idempotencyKey),
    );
    // A prompt behind a running turn changes nothing for the worker: the slot wakes it when it is free.
    const matters = request.kind === 'interrupt' || this.#slot.free;
    if (matters && 'accepted' in acceptance && !acceptance.replayed) this.#wakeWorker();
    return acceptance;
  }

  find(requestId: string): RequestRecord | null {
    return this.#journal.read(() => {
      const row = this.#journal.requests.find(requestId);
      return row && this.#record(row, this.#placesOf([row]).get(row.rowid) ?? null, true);
    });
  }

  /** Like {@link find}, but waits until the request is final, at most `seconds`. */
  async findFinal(requestId: string, seconds: number, signal: AbortSignal): Promise<RequestRecord | null> {
    const row = this.#journal.requests.find(requestId);
    if (row && seconds > 0 && !isFinal(row.state)) await this.#finals.wait(requestId, seconds * 1000, signal);
    return this.find(requestId);
  }

  findTurn(turnId: string): TurnRecord | null {
    const row = this.#journal.turns.find(turnId);
    return row && toTurnRecord(row, listArtifacts(this.#paths, turnId), true);
  }

  async findEndedTurn(turnId: string, seconds: number, signal: AbortSignal): Promise<TurnRecord | null> {
    const row = this.#journal.turns.find(turnId);
    if (row && seconds > 0 && row.state === 'running')
      await this.#finals.wait(turnId, seconds * 1000, signal);
    return this.findTurn(turnId);
  }

  /** The turn id that the queue will use next, where a caller chose one (gateway §8). */
  firstQueuedTurnId(): string | null {
    return this.#journal.requests.firstAcceptedTurnId();
  }

  /** One page of at most `limit`, newest first. @param before only rows inserted before this one. */
  list(
    state: RequestState | null,
    before: number,
    limit: number,
  ): { records: RequestRecord[]; next: number | null } {
    const { requests } = this.#journal;
    return this.#journal.read(() => {
      const { rows, more } =
        state === null ? requests.newest(before, limit) : requests.newestInState(state, before, limit);
      const places = this.#placesOf(rows);
      return {
        records: rows.map((row) => this.#record(row, places.get(row.rowid) ?? null, false)),
        next: more ? (rows.at(-1)?.rowid ?? null) : null,
      };
    });
  }

  /** Takes a waiting request out of the queue. */
  async cancel(requestId: string): Promise<RequestRecord | { refusal: string } | null> {
    const refusal = await this.#journal.write((atUtc) => {
      const row = this.#journal.requests.find(requestId);
      if (!row || row.state === 'cancelled') return null;
      if (row.state === 'running') return `Request ${requestId} is running; send an interrupt to stop it.`;
      if (row.state !== 'accepted') return `Request ${requestId} has ended (${row.state}).`;
      this.#journal.finish(atUtc, { requestId, state: 'cancelled', error: null, result: null });
      return null;
    });
    if (refusal !== null) return { refusal };
    this.#bindings.forget(requestId);
    this.#finals.reached(requestId);
    this.#wakeWorker();
    return this.find(requestId);
  }

  /** Holds the queue back, or lets it go on; kept over restarts. */
  async setPaused(paused: boolean): Promise<void> {
    await this.#journal.write((atUtc) => this.#journal.setPaused(atUtc, paused));
    this.#wakeWorker();
  }

  /** Settles the work of earlier instances and opens admission again (additions.md §4). */
  async reconcile(
    action: 'adopt' | 'discard',
  ): Promise<{ adopted: number; discarded: number; epoch: number }> {
    await this.#board.look();
    const settled = await this.#journal.write((atUtc) => this.#settle(atUtc, action));
    for (const requestId of settled.discarded) this.#finals.reached(requestId);
    this.#wakeWorker();
    return {
      adopted: settled.adopted,
      discarded: settled.discarded.length,
      epoch: this.#journal.memory.epoch.epoch,
    };
  }

  #settle(atUtc: string, action: 'adopt' | 'discard'): { adopted: number; discarded: string[] } {
    const { memory, epochs, requests } = this.#journal;
    const before = memory.epoch;
    if (before.epoch === before.reconciledEpoch) return { adopted: 0, discarded: [] };
    const waiting = requests.acceptedBeforeEpoch(before.epoch);
    const discarded = action === 'discard' ? waiting : [];
    for (const requestId of discarded) {
      const error = {
        code: 'discarded',
        detail: 'Discarded: it was accepted for an earlier instance of the agent.',
      };
      this.#journal.finish(atUtc, { requestId, state: 'cancelled', error, result: null });
    }
    const adopted = action === 'adopt' ? requests.adopt(before.epoch) : 0;
    memory.epoch = { ...before, reconciledEpoch: before.epoch };
    epochs.write(memory.epoch);
    this.#journal.event(atUtc, {
      kind: 'reconciled',
      subjectId: before.lastInstanceId,
      data: {
        action,
        adopted,
        discarded: discarded.length,
        managed_agent_instance_epoch: before.epoch,
        at_utc: atUtc,
      },
    });
    return { adopted, discarded };
  }

  /** Admission and insert are one step (decision 10). */
  #admit(atUtc: string, request: RequestCreate, payloadJson: string, key: string | null): Acceptance {
    const digest = key === null ? '' : digestOf(request);
    const earlier = key === null ? null : this.#journal.idempotency.find(key);
    if (earlier) {
      return earlier.body_digest === digest
        ? { accepted: JSON.parse(earlier.response_json) as RequestAccepted, replayed: true }
        : refuse(422, 'The Idempotency-Key was used before with another body.');
    }
    const refusal = this.#refusalFor(request);
    if (refusal) return { refusal };
    const requestId = this.#insert(atUtc, request.kind, payloadJson);
    const accepted: RequestAccepted = {
      request_id: requestId,
      request_kind: request.kind,
      state: 'accepted',
      accepted_at_utc: atUtc,
      queue_depth: this.#journal.memory.depth,
      managed_agent_instance_epoch: this.#journal.memory.epoch.epoch,
    };
    if (request.kind === 'interrupt') this.#bindings.bind(requestId, this.#slot.holder?.turnId ?? null);
    if (key !== null) {
      this.#journal.idempotency.insert(key, {
        body_digest: digest,
        request_id: requestId,
        response_json: JSON.stringify(accepted),
      });
    }
    return { accepted, replayed: false };
  }

  /** In the order of gateway §2.3. */
  #refusalFor(request: RequestCreate): HttpRefusal | null {
    const { request_admission } = this.#board.snapshot();
    if (request_admission === 'blocked_reconciliation') {
      return {
        status: 409,
        detail:
          'The agent behind this gateway was replaced; settle its queued work with POST /v1/control/reconcile first.',
      };
    }
    // An interrupt may end what fills the disk: it is taken if its row gets there.
    const mayTry = request.kind === 'interrupt' && this.#board.storageFault !== null;
    if (request_admission !== 'open' && !mayTry) {
      return { status: 503, detail: this.#board.unavailableDetail ?? 'The managed agent is unavailable.' };
    }
    if (request.kind !== 'submit_prompt') return null;
    const { chat_session, execution, turn_id } = request.payload;
    const options = { chatSession: chat_session ?? null, execution: execution ?? null };
    const unfit = this.#target.check(options, 'queue');
    if (unfit) {
      const field = unfit.code === 'invalid_chat_session' ? 'chat_session' : 'execution';
      return { status: 422, detail: `payload.${field}: ${unfit.detail}` };
    }
    return typeof turn_id === 'string' ? this.#turnIdRefusal(turn_id) : null;
  }

  #turnIdRefusal(turnId: string): HttpRefusal | null {
    const active = this.#journal.requests.acceptedWithTurnId(turnId);
    const taken = active
      ? `request ${active} waits with it`
      : this.#journal.turns.find(turnId) || hasRun(turnArtifacts(this.#paths, turnId))
        ? 'a turn of that name has run or runs'
        : null;
    return taken === null
      ? null
      : { status: 422, detail: `payload.turn_id \`${turnId}\` is taken: ${taken}.` };
  }

  #insert(atUtc: string, kind: RequestCreate['kind'], payloadJson: string): string {
    for (let draw = 0; draw < maxIdDraws; draw += 1) {
      const requestId = newRequestId(this.#clock.now());
      const epoch = this.#journal.memory.epoch.epoch;
      if (this.#journal.accept({ requestId, kind, payloadJson, acceptedAtUtc: atUtc, epoch }))
        return requestId;
    }
    throw new Error('No free request id was found.');
  }

  #record(row: RequestRow, place: QueuePlace | null, withAnswer: boolean): RequestRecord {
    const { turns } = this.#journal;
    const turn = withAnswer ? turns.ofRequest(row.request_id) : turns.ofRequestWithoutAnswer(row.request_id);
    const artifacts = turn && withAnswer ? listArtifacts(this.#paths, turn.turn_id) : [];
    return toRequestRecord(row, turn && toTurnRecord(turn, artifacts, withAnswer), place);
  }

  /** Where the accepted rows of a page stand. Counted once: they follow each other in the queue. */
  #placesOf(page: readonly RequestRow[]): Map<number, QueuePlace> {
    const accepted = page.filter((row) => row.state === 'accepted').reverse();
    const [oldest] = accepted;
    const before = oldest ? this.#journal.requests.countAcceptedBefore(oldest.rowid) : 0;
    return new Map(
      accepted.map((row, index) => [
        row.rowid,
        {
          position: before + index,
          reason: waitingReason(before + index, this.#board, this.#slot, this.#journal.memory.paused),
        },
      ]),
    );
  }
}

/** Why a request at this place waits; null when nothing keeps it and it is about to run. */
function waitingReason(
  position: number,
  board: StatusBoard,
  slot: ExecutionSlot,
  paused: boolean,
): WaitingReason | null {
  const status = board.snapshot();
  if (status.request_admission === 'blocked_reconciliation') {
    return {
      code: 'reconciliation',
      detail: 'The agent was replaced; POST /v1/control/reconcile settles what waits.',
    };
  }
  if (status.request_admission !== 'open') {
    return { code: 'unavailable', detail: board.unavailableDetail ?? 'The managed agent is unavailable.' };
  }
  if (paused) return { code: 'paused', detail: 'The queue is paused; PUT /v1/control/queue resumes it.' };
  if (position > 0) return { code: 'behind', detail: `${position} request(s) come first.` };
  if (slot.holder) return { code: 'busy', detail: `Turn ${slot.holder.turnId} is running.` };
  if (status.terminal_surface_eligibility === 'not_ready')
    return { code: 'not_ready', detail: 'The agent takes no prompt now.' };
  return null;
}

export const isFinal = (state: RequestState): boolean => state !== 'accepted' && state !== 'running';

const refuse = (status: HttpRefusal['status'], detail: string): Acceptance => ({
  refusal: { status, detail },
});

/** As the seed stores it: all four keys of a prompt, nulls included; `{}` for an interrupt (gateway §2.1). */
function payloadJsonOf(request: RequestCreate): string {
  if (request.kind === 'interrupt') return '{}';
  const { prompt, turn_id, chat_session, execution } = request.payload;
  const payload: PromptPayload = {
    prompt,
    turn_id: turn_id ?? null,
    chat_session: chat_session ?? null,
    execution: trimmed(execution ?? null),
  };
  return toSortedJson(payload);
}

/** A model name is stored trimmed (gateway §1.4). */
function trimmed(execution: PromptPayload['execution']): PromptPayload['execution'] {
  const name = execution?.model.name;
  return execution && typeof name === 'string'
    ? { model: { ...execution.model, name: name.trim() } }
    : execution;
}

const digestOf = (request: RequestCreate): string =>
  createHash('sha256').update(toSortedJson(request)).digest('hex');
