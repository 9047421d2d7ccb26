import type { ModelSelection, SessionSelection } from '../tools/tool-adapter.js';
import type { RunningTurn, StopOutcome, TurnObserver } from '../turn/running-turn.js';

/** How the agent is, as far as its adapter can see (gateway §2.7). */
export interface Inspection {
  connected: boolean;
  /** Names this incarnation of the agent; null when it cannot be told. */
  instanceId: string | null;
  surface: 'ready' | 'unknown' | 'not_ready';
  /** Whether prompts may be queued for it. A busy agent still says yes. */
  acceptsPrompts: boolean;
  /** Why it is not connected, for people; null when it is. */
  detail: string | null;
}

/** Why a prompt cannot go to this agent; the code is one of gateway §5. */
export interface Refusal {
  code:
    | 'invalid_chat_session'
    | 'invalid_execution'
    | 'missing_current_chat_session'
    | 'unavailable'
    | 'dispatch_failed';
  detail: string;
}

/** What a caller asked for beside the text. */
export interface PromptOptions {
  chatSession: { mode: 'auto' | 'new' | 'current' | 'tool_last_or_new' | 'exact'; id?: string | null } | null;
  execution: { model: { name?: string | null; reasoning?: { level: number } | null } } | null;
}

/** How a prompt came: now or never, or by way of the queue (reminders and the notifier count as the queue). */
export type PromptDoor = 'direct' | 'queue';

/** How a turn will run, after all defaults. */
export interface ResolvedTurn {
  /** What was asked for, with the override taken in: what another server is told, which has defaults of its own. */
  options: PromptOptions;
  /** Where another server chooses, `tool_last_or_new`. */
  session: SessionSelection;
  model: ModelSelection;
  /** A turn that runs longer is ended; null for no limit. */
  timeLimitSeconds: number | null;
}

/** A prompt on its way to the agent. The slot is already ours. */
export interface TurnAssignment extends ResolvedTurn {
  turnId: string;
  prompt: string;
}

/** The only way to reach an agent (design §5). */
export interface AgentTarget {
  readonly surface: 'headless' | 'tui';
  /** Another server runs the agent: only its word counts as delivery, and only that is waited for. */
  readonly remote: boolean;
  /** May touch files, tmux or the network; never throws. */
  inspect(): Promise<Inspection>;
  /** Turns what a caller asked for into how the turn will run. Reads the manifest afresh. */
  resolve(options: PromptOptions, context: { override: { mode: 'new' } | null }): ResolvedTurn | Refusal;
  /** Checks only what does not change while a prompt waits, such as the reasoning ladder (decision 11). */
  check(options: PromptOptions, door: PromptDoor): Refusal | null;
  /** Hands the prompt over. Never throws: what goes wrong is in {@link TurnSigns}. */
  start(assignment: TurnAssignment, observer: TurnObserver): RunningTurn;
  /** Stops what the agent does outside turns of this gateway (decision 8). Never throws. */
  interrupt(): Promise<StopOutcome>;
  /** Notes what a turn taught: the pinned conversation, the turn count (decision 48). */
  settle(turn: { sessionId: string | null; sessionLost: boolean; completed: boolean }): void;
}

export const isRefusal = (value: ResolvedTurn | Refusal): value is Refusal => 'code' in value;
