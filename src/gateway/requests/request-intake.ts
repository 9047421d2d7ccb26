import type { components } from '../../../generated/gateway/types.js';
import type { AgentTarget, PromptRefusal } from '../../agent/target/agent-target.js';
import { type PromptMetadata, withMetadata } from '../../contract/prompt-metadata.js';
import { keyOfAnotherBody } from '../../contract/refusals.js';
import type { RequestJournal } from '../../dispatch/queue/request-journal.js';
import { promptPayload } from '../../dispatch/queue/request-rows.js';
import { type AxesSource, notAtTurn, obstacleFor } from '../../dispatch/readiness.js';
import type { Journal } from '../../events/journal.js';
import type { Clock } from '../../foundation/clock.js';
import { toSortedJson } from '../../foundation/json-text.js';
import { hasRun, type SessionPaths, turnArtifacts } from '../../session/session-paths.js';
import { bodyDigest } from '../../storage/idempotency-keys.js';
import type { ExecutionSlot } from '../../turn/live-turn.js';
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

/** The terms beside a request, each null when it is left out. */
export interface IntakeTerms {
  /** The `Idempotency-Key`. */
  key: string | null;
  /** The turn that an interrupt is aimed at; null for whichever turn runs. */
  ifTurn: string | null;
  /** The labels of a prompt. */
  metadata: PromptMetadata | null;
}

/** Takes requests into the queue. */
export class RequestIntake {
  readonly #parts: IntakeParts;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /** Stores a request, or returns the reason of a refusal; a refused request leaves no row. */
  async accept(request: RequestCreate, terms: IntakeTerms): Promise<Acceptance> {
    const { axes, journal, queue, slot, wakeWorker } = this.#parts;
    await axes.current();
    const payloadJson = payloadJsonOf(request);
    const acceptance = await journal.write((atUtc) => this.#admit(atUtc, request, payloadJson, terms));
    // A prompt that cannot start now wakes nothing: the worker is woken when the slot is free or the queue is resumed.
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
    { key, ifTurn, metadata }: IntakeTerms,
  ): Acceptance {
    const { queue, turns, slot, bindings, axes, clock } = this.#parts;
    const digest = key === null ? '' : bodyDigest(withMetadata(request, metadata));
    const earlier = key === null ? 'new' : queue.idempotency.check(key, digest);
    if (earlier === 'another_call') return refuse('invalid', keyOfAnotherBody);
    if (earlier !== 'new')
      return { accepted: JSON.parse(earlier.answer ?? 'null') as RequestAccepted, replayed: true };
    const refusal = this.#refusalFor(request);
    if (refusal) return { refusal };
    const running = slot.holder?.turnId ?? null;
    if (ifTurn !== null && ifTurn !== running) return refuse('other_turn', notAtTurn(ifTurn, running));
    const { epoch } = axes.now();
    const row = { kind: request.kind, payloadJson, acceptedAtUtc: atUtc, epoch };
    const requestId = queue.acceptNew(row, clock.now());
    turns.metadata.insert(requestId, metadata);
    const accepted: RequestAccepted = {
      request_id: requestId,
      request_kind: request.kind,
      state: 'accepted',
      accepted_at_utc: atUtc,
      queue_depth: queue.depth,
      managed_agent_instance_epoch: epoch,
    };
    if (request.kind === 'interrupt') {
      bindings.bind(requestId, running);
      accepted.turn_id = running;
    }
    if (key !== null) {
      queue.idempotency.insert(key, {
        digest,
        subject: requestId,
        answer: JSON.stringify(accepted),
        at: Date.parse(atUtc),
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
}

const refuse = (code: IntakeRefusal['code'], detail: string): Acceptance => ({ refusal: { code, detail } });

/** Returns the payload as it is stored: `{}` for an interrupt. */
function payloadJsonOf(request: RequestCreate): string {
  if (request.kind === 'interrupt') return '{}';
  const { prompt, turn_id = null, chat_session = null, execution = null } = request.payload;
  return toSortedJson(promptPayload({ prompt, turn_id, chat_session, execution }));
}

/** Returns which field of the payload a target refuses. */
function fieldOf({ code }: PromptRefusal): string {
  if (code === 'invalid_chat_session') return 'chat_session';
  return code === 'invalid_execution' ? 'execution' : 'prompt';
}
