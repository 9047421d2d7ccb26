import {
  isRefusal,
  type PromptRefusal,
  type PromptSettings,
  type ResolvedTurn,
} from '../agent/target/agent-target.js';
import type { NewEvent } from '../events/catalogue.js';
import { newTurnId } from '../foundation/ids.js';
import { counted } from '../foundation/text.js';
import type { BegunTurn, Reservation, TurnCompanion } from '../turn/live-turn.js';
import type { Verdict } from '../turn/turn-end.js';
import type { TurnRow } from '../turn/turn-table.js';
import type { DispatchParts } from './dispatch-parts.js';
import { type Axes, axesInWords, type Obstacle, obstacleFor, obstacles } from './readiness.js';

/** A prompt that goes to the agent now or not at all. */
export interface DirectPrompt extends PromptSettings {
  prompt: string;
  /** Ends the running turn and takes its place. */
  force: boolean;
}
export interface DirectRefusal {
  code: PromptRefusal['code'] | 'blocked_reconciliation' | 'not_ready';
  detail: string;
  /** The turn that was begun for the prompt before it was refused; its record shows how it ended. */
  begunAs?: string;
}

/**
 * The time that a local process has to start; after that the answer is sent without waiting: the turn's record will show
 * the start.
 */
const startMilliseconds = 3000;
/** The time that another server has to confirm that it took the prompt. */
const wordMilliseconds = 20_000;

/** Returns what keeps every direct prompt back, even a forced one; null when nothing does. */
export function closedTo(axes: Axes): DirectRefusal | null {
  const obstacle = obstacleFor('forced', axes);
  return obstacle && { code: codeOf(obstacle), detail: obstacle.detail };
}

/**
 * Returns what keeps a prompt back that is not forced, with the values of all axes that do so and the agent's own
 * reasons; null when nothing does.
 */
export function busyWith(axes: Axes): DirectRefusal | null {
  const obstacle = obstacleFor('direct', axes);
  if (!obstacle) return null;
  const names = [
    ...(axes.holder ? (['active_execution'] as const) : []),
    ...(axes.queueDepth > 0 ? (['queue_depth'] as const) : []),
    ...(obstacles(axes).some(({ code }) => code === 'not_ready')
      ? (['terminal_surface_eligibility'] as const)
      : []),
  ];
  // In that case the agent is idle, and the queue does not move until an operator resumes it.
  const onlyPaused = axes.paused && names.length === 1 && axes.queueDepth > 0;
  return {
    code: codeOf(obstacle),
    detail: onlyPaused
      ? pausedBefore(axes.queueDepth)
      : names.length === 0
        ? obstacle.detail
        : obstacle.code === 'not_ready' && axes.agent.reasons.length > 0
          ? `Gateway prompt rejected because the TUI is not submit-ready (${axes.agent.reasons.join(', ')}).`
          : `Gateway prompt rejected because the agent is busy (${[axesInWords(axes, names), ...axes.agent.reasons].join(', ')}).`,
  };
}

const pausedBefore = (count: number): string =>
  `Gateway prompt rejected because the queue is paused with ${counted(count, 'prompt')} waiting; PUT /v1/control/queue resumes it, and \`force\` sends this prompt first.`;

const optionsOf = ({ chatSession, execution }: DirectPrompt): PromptSettings => ({ chatSession, execution });

function codeOf({ code }: Obstacle): DirectRefusal['code'] {
  if (code === 'reconciliation') return 'blocked_reconciliation';
  return code === 'unavailable' ? 'unavailable' : 'not_ready';
}

/** The additions of a caller to the turn of its prompt. */
export interface DirectTurn {
  turnId: string;
  /** Runs in the transaction that claims the turn. */
  claimed(atUtc: string): void;
}

const plainTurn = (): DirectTurn => ({ turnId: newTurnId(), claimed: () => undefined });

export interface DirectPromptParts extends DispatchParts {
  override: SessionOverride;
}

/** Sends a prompt now or refuses it now. */
export class DirectPrompts {
  readonly #parts: DirectPromptParts;

  constructor(parts: DirectPromptParts) {
    this.#parts = parts;
  }

  async send(
    prompt: DirectPrompt,
    turn: DirectTurn = plainTurn(),
  ): Promise<{ turnId: string } | DirectRefusal> {
    const { axes, slot, target, override, turns } = this.#parts;
    const options = optionsOf(prompt);
    await turns.freedByEnd();
    const refused =
      closedTo(await axes.observe()) ??
      target.check(options, 'direct', prompt.prompt) ??
      // Checked after the observation: nothing is awaited from here to the claim, so no other prompt can come in between.
      (prompt.force ? null : busyWith(axes.now()));
    if (refused) return refused;
    const resolved = target.resolve(options, { override: override.pending, forced: prompt.force });
    if (isRefusal(resolved)) return resolved;
    if (!prompt.force) return this.#begin(prompt, turn, resolved);
    const reservation = slot.tryReserve();
    if (!reservation) return { code: 'not_ready', detail: 'Another forced prompt is being dispatched.' };
    return this.#replace(prompt, turn, reservation);
  }

  /** Ends the running turn, then starts. The conversation is resolved after the old turn has pinned its own. */
  async #replace(
    prompt: DirectPrompt,
    turn: DirectTurn,
    reservation: Reservation,
  ): Promise<{ turnId: string } | DirectRefusal> {
    const { axes, turns, target, override } = this.#parts;
    try {
      const ended = await turns.replaceLive();
      // The end of the old turn may have taken seconds.
      const refused = closedTo(await axes.observe());
      if (refused) return afterEnd(refused, ended);
      const resolved = target.resolve(optionsOf(prompt), { override: override.pending, forced: true });
      const answer = isRefusal(resolved) ? resolved : await this.#begin(prompt, turn, resolved, reservation);
      return 'turnId' in answer ? answer : afterEnd(answer, ended);
    } finally {
      // Has no effect once the reservation was used.
      reservation.cancel();
    }
  }

  async #begin(
    { prompt, chatSession, force }: DirectPrompt,
    { turnId, claimed }: DirectTurn,
    resolved: ResolvedTurn,
    reservation?: Reservation,
  ): Promise<{ turnId: string } | DirectRefusal> {
    const { turns, target, tool, override } = this.#parts;
    const order = { ...resolved, turnId, prompt, origin: 'direct' as const, requestId: null, tool };
    const begun = await turns.begin(order, this.#companion(turnId, claimed, force), reservation);
    if (!begun)
      return { code: 'not_ready', detail: 'Gateway prompt rejected because the agent has just become busy.' };
    const takesOverride = (chatSession?.mode ?? 'auto') === 'auto';
    if (takesOverride && !target.remote) override.consume();
    let reached = await this.#word(begun);
    if (reached === 'silent' && target.remote) {
      // The answer says that the prompt was not sent, so the turn must not run later.
      const { outcome } = await turns.interrupt(turnId);
      if (outcome !== 'no_op') return withdrawn(turnId, outcome);
      // The turn has ended meanwhile, so its outcome is known.
      reached = await begun.delivered;
    }
    if (reached === true && takesOverride && target.remote) override.consume();
    const answersForItself = !target.remote && !target.interactive;
    if (reached === true || (reached !== false && answersForItself)) return { turnId };
    if (reached === 'left')
      return {
        code: 'dispatch_failed',
        detail: target.remote ? silent(turnId, 'may still run') : leftUnknown(turnId),
        begunAs: turnId,
      };
    const verdict = await begun.over;
    const detail = verdict?.error?.detail ?? 'The agent ended before it had the prompt.';
    return { code: 'dispatch_failed', detail, begunAs: turnId };
  }

  /** Resolves with whether the agent got the prompt; with `silent` when that is not known in time. */
  async #word({ delivered }: BegunTurn): Promise<boolean | 'left' | 'silent'> {
    const { target, clock } = this.#parts;
    // A prompt that is typed into a terminal is accepted or given up within seconds.
    if (target.interactive) return delivered;
    const answered = new AbortController();
    const patience = clock
      .sleep(target.remote ? wordMilliseconds : startMilliseconds, answered.signal)
      .then(() => 'silent' as const);
    const reached = await Promise.race([delivered, patience]);
    answered.abort();
    return reached;
  }

  /**
   * Returns the companion that records the start and the end: every direct prompt that was answered as dispatched has an
   * end event.
   */
  #companion(turnId: string, also: DirectTurn['claimed'], forced: boolean): TurnCompanion {
    const { journal } = this.#parts;
    return {
      claimed: (atUtc) => {
        also(atUtc);
        journal.event(atUtc, {
          kind: 'control_prompt_submitted',
          subjectId: turnId,
          data: { forced, submitted_at_utc: atUtc, turn_id: turnId },
        });
        return true;
      },
      ended: (atUtc, verdict) => journal.event(atUtc, directPromptEnded(turnId, atUtc, verdict)),
    };
  }
}

/** Adds the turn that was ended for a forced prompt to the refusal of that prompt. */
const afterEnd = (refusal: DirectRefusal, ended: string | null): DirectRefusal =>
  ended === null ? refusal : { ...refusal, detail: `${refusal.detail} Turn ${ended} was ended for it.` };

const withdrawn = (turnId: string, outcome: 'stopped' | 'failed'): DirectRefusal => ({
  code: 'dispatch_failed',
  detail: silent(turnId, outcome === 'failed' ? 'could not be stopped either' : 'was stopped'),
  begunAs: turnId,
});

const leftUnknown = (turnId: string): string =>
  `The gateway stopped before the terminal showed that it took the prompt; look up turn ${turnId}.`;

const silent = (turnId: string, end: string): string =>
  `The server that runs the agent did not say that it took the prompt; turn ${turnId} ${end}.`;

/** Returns the event for the end of a direct prompt. */
export const directPromptEnded = (turnId: string, atUtc: string, verdict: Verdict): NewEvent =>
  verdict.outcome === 'completed'
    ? {
        kind: 'control_prompt_completed',
        subjectId: turnId,
        data: { turn_id: turnId, finished_at_utc: atUtc },
      }
    : {
        kind: 'control_prompt_failed',
        subjectId: turnId,
        data: {
          turn_id: turnId,
          error_detail: verdict.error?.detail ?? verdict.outcome,
          outcome: verdict.outcome,
          finished_at_utc: atUtc,
        },
      };

/** Returns the detail for a prompt that is being handed over, or whose end was not found out; it names the turn to look up. */
export const outcomeUnknownDetail = (turnId: string): string =>
  `Whether the agent has the prompt is not known yet; look up turn ${turnId}.`;

/** Whether the agent has a direct prompt, by the record of its turn. */
export type PromptReceipt =
  | { kind: 'taken' }
  /** The prompt is being handed over; more is known in a moment. */
  | { kind: 'under_way' }
  | { kind: 'not_taken' | 'unknown'; detail: string };

/**
 * Pure: decides that for a prompt whose answer was lost, or that is repeated. `taken` only where the agent has the prompt.
 * @param typed whether prompts are typed into a terminal, where a typed prompt is not yet an accepted one.
 */
export function receiptOf(
  turn: Pick<TurnRow, 'turn_id' | 'delivery_state' | 'state' | 'outcome' | 'error_detail'>,
  typed: boolean,
): PromptReceipt {
  const { turn_id, delivery_state, state, outcome, error_detail } = turn;
  if (outcome === 'completed') return { kind: 'taken' };
  switch (delivery_state) {
    case 'confirmed':
      return { kind: 'taken' };
    case 'handed_over':
      return typed && state === 'running' ? { kind: 'under_way' } : { kind: 'taken' };
    case 'claimed':
      if (state === 'running') return { kind: 'under_way' };
      break;
    case 'unconfirmed':
    case 'failed':
      break;
  }
  const kind = delivery_state === 'failed' ? 'not_taken' : 'unknown';
  const detail = error_detail ?? 'Whether the agent has the prompt is not known.';
  return { kind, detail: `${detail} See turn ${turn_id}.` };
}

/**
 * The one-shot `next_prompt_override` (docs/decisions.md#which-conversation). Memory only: it does not survive a
 * restart.
 */
export class SessionOverride {
  #pending: { mode: 'new' } | null = null;

  get pending(): { mode: 'new' } | null {
    return this.#pending;
  }
  set(): void {
    this.#pending = { mode: 'new' };
  }
  consume(): void {
    this.#pending = null;
  }
}
