import { createHash } from 'node:crypto';
import type { components } from '../../../generated/gateway/types.js';
import type { AgentTarget, PromptRefusal } from '../../agent/target/agent-target.js';
import { keyOfAnotherBody } from '../../contract/refusals.js';
import type { RequestJournal } from '../../dispatch/queue/request-journal.js';
import type { PromptPayload } from '../../dispatch/queue/request-rows.js';
import { type AxesSource, notAtTurn, obstacleFor } from '../../dispatch/readiness.js';
import type { Journal } from '../../events/journal.js';
import type { Clock } from '../../foundation/clock.js';
import { requestIds } from '../../foundation/ids.js';
import { toSortedJson } from '../../foundation/json-text.js';
import { hasRun, type SessionPaths, turnArtifacts } from '../../session/session-paths.js';
import type { ExecutionSlot } from '../../turn/execution-slot.js';
import type { TurnTable } from '../../turn/turn-table.js';
import type { InterruptBindings } from './interrupt-runner.js';

type RequestCreate = components['schemas']['RequestCreate'];
type RequestAccepted = components['schemas']['RequestAccepted'];

/** The reason why a request was refused: the queue or the agent is closed, or the request itself does not fit. */
export interface IntakeRefusal {
  code: 'reconciliation' | 'unavailable' | 'invalid' | 'other_turn';
  detail: string;
}
export type Acceptance = { accepted: RequestAccepted; replayed: boolean } | { refusal: IntakeRefusal };

const maxIdDraws = 20;

export interface IntakeParts {
  journal: Journal;
  queue: RequestJournal;
  turns: TurnTable;
  axes: AxesSource;
  slot: ExecutionSlot;
  target: AgentTarget;
  paths: SessionPaths;
  bindings: InterruptBindings;
  clock: Clock;
  wakeWorker: () => void;
}

/** Takes requests into the queue. */
export class RequestIntake {
  readonly #parts: IntakeParts;
  readonly #newId = requestIds();

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /**
   * Stores a request, or returns the reason of a refusal; a refused request leaves no row.
   * @param ifTurn the turn that an interrupt is aimed at; null for whichever turn runs.
   */
  async accept(
    request: RequestCreate,
    idempotencyKey: string | null,
    ifTurn: string | null,
  ): Promise<Acceptance> {
    const { axes, journal, queue, slot, wakeWorker } = this.#parts;
    await axes.current();
    const payloadJson = payloadJsonOf(request);
    const acceptance = await journal.write((atUtc) =>
      this.#admit(atUtc, request, payloadJson, { key: idempotencyKey, ifTurn }),
    );
    // A prompt that cannot start does not wake the worker, which is woken when the slot is free or the queue is resumed.
    const matters = request.kind === 'interrupt' || (slot.free && !queue.paused);
    if (matters && 'accepted' in acceptance && !acceptance.replayed) wakeWorker();
    return acceptance;
  }

  /**
   * Admits and inserts a request in one step (docs/decisions.md#admission). The key is checked first: a caller who
   * repeats a request whose 202 was lost gets that 202, whatever the agent's state is now.
   */
  #admit(
    atUtc: string,
    request: RequestCreate,
    payloadJson: string,
    { key, ifTurn }: { key: string | null; ifTurn: string | null },
  ): Acceptance {
    const { queue, slot, bindings, axes } = this.#parts;
    const digest = key === null ? '' : digestOf(request);
    const earlier = key === null ? null : queue.idempotency.find(key);
    if (earlier) {
      return earlier.body_digest === digest
        ? { accepted: JSON.parse(earlier.response_json) as RequestAccepted, replayed: true }
        : refuse('invalid', keyOfAnotherBody);
    }
    const refusal = this.#refusalFor(request);
    if (refusal) return { refusal };
    const running = slot.holder?.turnId ?? null;
    if (ifTurn !== null && ifTurn !== running) return refuse('other_turn', notAtTurn(ifTurn, running));
    const { epoch } = axes.now();
    const requestId = this.#insert(atUtc, request.kind, payloadJson, epoch);
    const accepted: RequestAccepted = {
      request_id: requestId,
      request_kind: request.kind,
      state: 'accepted',
      accepted_at_utc: atUtc,
      queue_depth: queue.depth,
      managed_agent_instance_epoch: epoch,
    };
    if (request.kind === 'interrupt') bindings.bind(requestId, running);
    if (key !== null) {
      queue.idempotency.insert(key, {
        body_digest: digest,
        request_id: requestId,
        response_json: JSON.stringify(accepted),
      });
    }
    return { accepted, replayed: false };
  }

  #refusalFor(request: RequestCreate): IntakeRefusal | null {
    const axes = this.#parts.axes.now();
    const obstacle = obstacleFor('accept', axes);
    // An interrupt may end the turn that fills the disk, so it is accepted if its row can be stored.
    const mayTry = request.kind === 'interrupt' && axes.storageFault !== null;
    if (obstacle && !mayTry)
      return {
        code: obstacle.code === 'reconciliation' ? 'reconciliation' : 'unavailable',
        detail: obstacle.detail,
      };
    if (request.kind !== 'submit_prompt') return null;
    const { chat_session, execution, turn_id } = request.payload;
    const options = { chatSession: chat_session ?? null, execution: execution ?? null };
    const unfit = this.#parts.target.check(options, 'queue', request.payload.prompt);
    if (unfit) return { code: 'invalid', detail: `payload.${fieldOf(unfit)}: ${unfit.detail}` };
    return typeof turn_id === 'string' ? this.#turnIdRefusal(turn_id) : null;
  }

  #turnIdRefusal(turnId: string): IntakeRefusal | null {
    const { queue, turns, paths } = this.#parts;
    const active = queue.rows.acceptedWithTurnId(turnId);
    const taken = active
      ? `request ${active} waits with it`
      : turns.find(turnId) || hasRun(turnArtifacts(paths, turnId))
        ? 'a turn of that name has run or runs'
        : null;
    return taken === null
      ? null
      : { code: 'invalid', detail: `payload.turn_id \`${turnId}\` is taken: ${taken}.` };
  }

  #insert(atUtc: string, kind: RequestCreate['kind'], payloadJson: string, epoch: number): string {
    for (let draw = 0; draw < maxIdDraws; draw += 1) {
      const requestId = this.#newId(this.#parts.clock.now());
      if (this.#parts.queue.accept({ requestId, kind, payloadJson, acceptedAtUtc: atUtc, epoch }))
        return requestId;
    }
    throw new Error('No free request id was found.');
  }
}

const refuse = (code: IntakeRefusal['code'], detail: string): Acceptance => ({ refusal: { code, detail } });

/**
 * Returns all four keys of a prompt in their order, nulls included, as other readers of the table expect; `{}` for an
 * interrupt (docs/decisions.md#queue-tables).
 */
function payloadJsonOf(request: RequestCreate): string {
  if (request.kind === 'interrupt') return '{}';
  const { prompt, turn_id, chat_session, execution } = request.payload;
  const payload: PromptPayload = {
    chat_session: chat_session ?? null,
    execution: trimmed(execution ?? null),
    prompt,
    turn_id: turn_id ?? null,
  };
  return toSortedJson(payload);
}

/** Trims the model name, which is stored without surrounding spaces. */
function trimmed(execution: PromptPayload['execution']): PromptPayload['execution'] {
  const name = execution?.model.name;
  return execution && typeof name === 'string'
    ? { model: { ...execution.model, name: name.trim() } }
    : execution;
}

const digestOf = (request: RequestCreate): string =>
  createHash('sha256').update(toSortedJson(request)).digest('hex');

/** Returns which field of the payload a target refuses. */
function fieldOf({ code }: PromptRefusal): string {
  if (code === 'invalid_chat_session') return 'chat_session';
  return code === 'invalid_execution' ? 'execution' : 'prompt';
}
