import { UnusableFile } from '../../foundation/faults.js';
import type { ProcessIdentity } from '../../foundation/processes.js';
import type { PastedPrompt, RunningTurn, StopOutcome, TurnObserver } from '../../run/running-turn.js';
import type { ModelSelection, SessionSelection } from '../../tools/adapter/tool-adapter.js';
import type { AgentTerminal } from './agent-terminal.js';

/** The result of an inspection of the agent. */
export interface AgentInspection {
  connected: boolean;
  /** Names this instance of the agent; null if it is not known. */
  instanceId: string | null;
  surface: 'ready' | 'unknown' | 'not_ready';
  /** The reasons why a prompt cannot be typed into its terminal, such as `turn.phase='active'`; empty for other agents. */
  reasons: readonly string[];
  /** Whether prompts may be queued for it. This is true for a busy agent too. */
  acceptsPrompts: boolean;
  /** Why it is not connected, for people; null if it is connected. */
  detail: string | null;
}

/** The reason why a prompt cannot go to this agent; the codes are those of prompt control (docs/decisions.md#prompt-refusals). */
export interface PromptRefusal {
  code:
    | 'invalid_chat_session'
    | 'invalid_execution'
    | 'missing_current_chat_session'
    | 'unavailable'
    | 'dispatch_failed';
  detail: string;
}

/** The settings that a caller requested besides the text. */
export interface PromptSettings {
  chatSession: { mode: 'auto' | 'new' | 'current' | 'tool_last_or_new' | 'exact'; id?: string | null } | null;
  execution: { model: { name?: string | null; reasoning?: { level: number } | null } } | null;
}

/** The way by which a prompt came: `direct` is sent now or not at all; reminders and the notifier count as `queue`. */
export type PromptChannel = 'direct' | 'queue';

/** A prompt on its way to the agent. */
export interface TurnAssignment {
  turnId: string;
  prompt: string;
}

/** The settings of a turn, with all defaults. The files of the session were read for it once; its start reads none again. */
export interface ResolvedTurn {
  /** `tool_last_or_new` if another server chooses. */
  session: SessionSelection;
  model: ModelSelection;
  /** A turn that runs longer is ended; null for no limit. */
  timeLimitSeconds: number | null;
  /** Hands the prompt over, once the slot is held. Faults of the agent are in {@link TurnSigns}. */
  start(assignment: TurnAssignment, observer: TurnObserver): RunningTurn;
}

/** A turn that another process started. */
export interface TurnToAdopt {
  turnId: string;
  /** Processes of the turn that were recorded; there may be more. */
  processes: readonly ProcessIdentity[];
  /** Whether it is recorded on disk that the agent has the prompt. */
  delivered: boolean;
  /** The text that was about to be pasted into a terminal; null if there was none. */
  pasted: PastedPrompt | null;
  /** Whether an earlier owner was asked to end it: then a prompt that the agent puts back into its composer is ours to remove. */
  stopping: boolean;
}

/**
 * Whether agents of this kind support something: the gateway supports it, does not support it yet, or the agents cannot do it.
 */
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
  /** The terminal of an agent on this machine; null for others. */
  readonly terminal: AgentTerminal | null;
  /** True if another server runs the agent: then only that server's confirmation counts as delivery, and is waited for. */
  readonly remote: boolean;
  /**
   * True for an agent that keeps running between prompts, in a terminal of this machine: a request is done when its prompt is
   * delivered, and a turn outlives the gateway (docs/decisions.md#turns-of-a-terminal).
   */
  readonly interactive: boolean;
  /** Inspects the agent. May use files, tmux or the network; never throws. */
  inspect(): Promise<AgentInspection>;
  /** Resolves the options of a caller to the settings of a turn. Reads the manifest again. */
  resolve(
    options: PromptSettings,
    context: { override: { mode: 'new' } | null; forced: boolean },
  ): ResolvedTurn | PromptRefusal;
  /**
   * Checks only properties that do not change while a prompt waits, such as the reasoning ladder or its length
   * (docs/decisions.md#early-refusals).
   */
  check(options: PromptSettings, channel: PromptChannel, prompt: string): PromptRefusal | null;
  /**
   * Follows a turn that another process started, to its end. Sends no prompt.
   * @returns null if such a turn cannot be followed here.
   * @throws {UnusableFile} if the session cannot be read.
   */
  adopt(turn: TurnToAdopt, observer: TurnObserver): RunningTurn | null;
  /** Interrupts the agent's work outside our turns. Never throws. */
  interrupt(): Promise<StopOutcome>;
  /**
   * Writes the results of a turn into the manifest: the conversation to pin, the turn count
   * (docs/decisions.md#pinned-conversation). Reads the manifest again, because it changes it.
   * @throws the fault that kept them from the manifest: they are then kept, and written before the next turn.
   */
  settle(turn: { sessionId: string | null; sessionLost: boolean; completed: boolean }): void;
}

export const isRefusal = (value: ResolvedTurn | PromptRefusal): value is PromptRefusal => 'code' in value;

/** Describes the fault of a session for callers, without paths. */
export const sessionTrouble = (error: unknown): string =>
  error instanceof UnusableFile
    ? `The session cannot be read: ${error.reason}${error.remedy === null ? '' : `; ${error.remedy}`}.`
    : 'The session cannot be read.';

export const notConnected = (detail: string): AgentInspection => ({
  connected: false,
  instanceId: null,
  surface: 'unknown',
  reasons: [],
  acceptsPrompts: false,
  detail,
});
