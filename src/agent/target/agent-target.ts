import { UnusableFile } from '../../foundation/faults.js';
import type { ProcessIdentity } from '../../foundation/processes.js';
import type { PastedPrompt, RunningTurn, StopOutcome, TurnObserver } from '../../run/running-turn.js';
import type { ModelSelection, SessionSelection } from '../../tools/adapter/tool-adapter.js';
import type { AgentTerminal } from './agent-terminal.js';

/** What a look at the agent showed. */
export interface Inspection {
  connected: boolean;
  /** Names this instance of the agent; null when that is not known. */
  instanceId: string | null;
  surface: 'ready' | 'unknown' | 'not_ready';
  /** What keeps a prompt from being typed into its terminal, such as `turn.phase='active'`; none of other agents. */
  reasons: readonly string[];
  /** Whether prompts may be queued for it. A busy agent still says yes. */
  acceptsPrompts: boolean;
  /** Why it is not connected, for people; null when it is. */
  detail: string | null;
}

/** Why a prompt cannot go to this agent; the codes are those of prompt control (docs/decisions.md#prompt-refusals). */
export interface Refusal {
  code:
    | 'invalid_chat_session'
    | 'invalid_execution'
    | 'missing_current_chat_session'
    | 'unavailable'
    | 'dispatch_failed';
  detail: string;
}

/** What a caller asked for besides the text. */
export interface PromptOptions {
  chatSession: { mode: 'auto' | 'new' | 'current' | 'tool_last_or_new' | 'exact'; id?: string | null } | null;
  execution: { model: { name?: string | null; reasoning?: { level: number } | null } } | null;
}

/** How a prompt came: `direct` is sent now or not at all; reminders and the notifier count as `queue`. */
export type PromptChannel = 'direct' | 'queue';

/** A prompt on its way to the agent. */
export interface TurnAssignment {
  turnId: string;
  prompt: string;
}

/** How a turn will run, after all defaults. The files of the session were read for it once; its start reads none again. */
export interface ResolvedTurn {
  /** `tool_last_or_new` when another server chooses. */
  session: SessionSelection;
  model: ModelSelection;
  /** A turn that runs longer is ended; null for no limit. */
  timeLimitSeconds: number | null;
  /** Hands the prompt over, once the slot is held. What goes wrong with the agent is in {@link TurnSigns}. */
  start(assignment: TurnAssignment, observer: TurnObserver): RunningTurn;
}

/** A turn that another process started. */
export interface TurnToAdopt {
  turnId: string;
  /** Processes of it that were written down; there may be more. */
  processes: readonly ProcessIdentity[];
  /** Whether it is on disk that the agent has the prompt. */
  delivered: boolean;
  /** What was about to be pasted into a terminal; null where nothing was. */
  pasted: PastedPrompt | null;
  /** Whether an earlier owner was asked to end it: a prompt that the agent then puts back into its composer is ours to remove. */
  stopping: boolean;
}

/** Whether agents of this kind can do something: the gateway supports it, does not support it yet, or they cannot. */
export type Capability = 'available' | 'unbuilt' | 'none';

/** The only way to reach an agent (docs/decisions.md#ways-to-reach-an-agent). */
export interface AgentTarget {
  readonly capabilities: {
    readonly prompts: Capability;
    /** Raw keys typed into its terminal. */
    readonly keys: Capability;
    /** A screen that can be read. */
    readonly screen: Capability;
  };
  /** Of an agent that runs in a terminal of this machine; null for others. */
  readonly terminal: AgentTerminal | null;
  /** True when another server runs the agent: then only that server's word counts as delivery, and is waited for. */
  readonly remote: boolean;
  /**
   * True for an agent that stays while no prompt runs, in a terminal of this machine: a request is done when its prompt is
   * delivered, and a turn outlives the gateway (docs/decisions.md#turns-of-a-terminal).
   */
  readonly interactive: boolean;
  /** May touch files, tmux or the network; never throws. */
  inspect(): Promise<Inspection>;
  /** Turns what a caller asked for into how the turn will run. Reads the manifest afresh. */
  resolve(
    options: PromptOptions,
    context: { override: { mode: 'new' } | null; forced: boolean },
  ): ResolvedTurn | Refusal;
  /**
   * Checks only what does not change while a prompt waits, such as the reasoning ladder or its length
   * (docs/decisions.md#early-refusals).
   */
  check(options: PromptOptions, channel: PromptChannel, prompt: string): Refusal | null;
  /**
   * Follows a turn that another process started, to its end. Hands nothing over.
   * @returns null when such a turn cannot be followed here.
   * @throws {UnusableFile} when the session cannot be read.
   */
  adopt(turn: TurnToAdopt, observer: TurnObserver): RunningTurn | null;
  /** Stops what the agent does outside our turns. Never throws. */
  interrupt(): Promise<StopOutcome>;
  /**
   * Writes what a turn showed into the manifest: the conversation to pin, the turn count
   * (docs/decisions.md#pinned-conversation). Reads the manifest afresh, since it patches it.
   * @throws what kept it from the manifest: it is then kept, and written before the next turn.
   */
  settle(turn: { sessionId: string | null; sessionLost: boolean; completed: boolean }): void;
}

export const isRefusal = (value: ResolvedTurn | Refusal): value is Refusal => 'code' in value;

/** What is wrong with a session, in words for callers: they do not name paths. */
export const sessionTrouble = (error: unknown): string =>
  error instanceof UnusableFile
    ? `The session cannot be read: ${error.reason}${error.remedy === null ? '' : `; ${error.remedy}`}.`
    : 'The session cannot be read.';

export const notConnected = (detail: string): Inspection => ({
  connected: false,
  instanceId: null,
  surface: 'unknown',
  reasons: [],
  acceptsPrompts: false,
  detail,
});
