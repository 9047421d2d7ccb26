/** The command-line agents the gateway drives headless. */
export type ToolName = 'claude' | 'codex' | 'gemini';

/** The conversation that a turn continues, after every default was resolved. */
export type SessionSelection = { mode: 'new' } | { mode: 'tool_last_or_new' } | { mode: 'exact'; id: string };

/** Model and reasoning of one turn, the launch's included. */
export interface ModelSelection {
  name: string | null;
  /** Position on the ladder of {@link ToolAdapter.reasoning}; null = the tool's own. */
  reasoningLevel: number | null;
}

/** Everything a tool needs to know about one turn. */
export interface TurnRequest {
  /** `launch_plan.args` of the manifest. */
  launchArgs: readonly string[];
  prompt: string;
  /** The role prompt, or null where there is none. */
  role: string | null;
  session: SessionSelection;
  model: ModelSelection;
  /** A folder the tool may write files of this turn into (absolute path). */
  turnDirectory: string;
}

/**
 * How the tool is called. The prompt goes in by stdin, so neither `ps` nor an argument limit sees it
 * (docs/decisions.md#prompts-are-data).
 */
export interface TurnCommand {
  args: readonly string[];
  stdin: string;
  /** Variables on top of the agent's environment. */
  env: Readonly<Record<string, string>>;
  /** Files to write before the start, absolute path to content. */
  files: Readonly<Record<string, string>>;
}

/** Everything a tool needs to know to run in a terminal, until somebody ends it. */
export interface TerminalLaunch {
  /** `launch_plan.args` of the manifest. */
  launchArgs: readonly string[];
  /** The role prompt, or null where there is none. */
  role: string | null;
  session: SessionSelection;
  model: ModelSelection;
  /** The id that a new conversation gets, where the tool takes one. A UUID that was never used. */
  newConversation: string;
  /** Null for a launch without hooks. */
  hooks: HookLaunch | null;
}

/** A launch after which the tool tells hooks of ours what happens; all paths are absolute. */
export interface HookLaunch {
  /** Where each call is a row. */
  file: string;
  /** The folder that the tool may need files in; only its owner may enter. */
  folder: string;
}

/** How the tool is called to stay in a terminal. */
export interface TerminalCommand {
  args: readonly string[];
  /** What identifies the conversation from the start; null where the tool chooses it. */
  conversation: string | null;
  /** Variables on top of the agent's environment. */
  env: Readonly<Record<string, string>>;
  /** Files to write before the start, absolute path to content. */
  files: Readonly<Record<string, string>>;
}

/** A reasoning preset, or the reason why there is none at this level. */
export type ReasoningChoice = { ok: true; preset: string } | { ok: false; reason: string };

/** Where a tool would run that gets a settings file, for {@link ToolAdapter.reasoningObstacle}. */
export interface SettingsPlace {
  /** The existing folder above {@link TurnRequest.turnDirectory}. */
  folder: string;
  /** What the launch gave the tool. */
  environment: Readonly<Record<string, string>>;
}

/** Everything one CLI is known by. A new CLI is one folder with one of these. */
export interface ToolAdapter {
  readonly name: ToolName;
  readonly backend: 'claude_headless' | 'codex_headless' | 'gemini_headless';
  /** Default executable, looked up on PATH. */
  readonly executable: string;
  /** Where it looks for skills, below its home folder. */
  readonly skillsFolder: string;
  /** Where it keeps its files while {@link homeEnvVar} is not set, below the user's home folder. */
  readonly usualHome: string;
  /** Variable that names the tool's home folder. */
  readonly homeEnvVar: string;
  readonly roleInjectionMethod:
    | 'native_append_system_prompt'
    | 'native_developer_instructions'
    | 'bootstrap_message';
  /** Variables with credentials or endpoints that `agents launch` records when they are set. */
  readonly credentialEnvVars: readonly string[];
  /**
   * Flags that skip the tool's permission questions; only with `agents launch --unattended`
   * (docs/decisions.md#unattended).
   */
  readonly unattendedArgs: readonly string[];
  /**
   * Arguments a launch may not carry, because a turn sets them itself. An option is named without a value: `--resume`
   * stands for `--resume=ID` too.
   */
  readonly reservedArgs: readonly string[];
  /** The preset for a ladder position, 1-based and saturating; 0 asks for "off". */
  reasoning(level: number, modelName: string | null): ReasoningChoice;
  /** Why the tool would ignore every reasoning level here; null when it honours them. Looks at the file system. */
  reasoningObstacle(place: SettingsPlace): string | null;
  /** Why the tool cannot be given hooks here, without taking something of the user's away; null when it can. */
  hookObstacle(place: SettingsPlace, launchArgs: readonly string[]): string | null;
  /** @throws Error when `model.reasoningLevel` is not on the ladder: check with {@link reasoning} first. */
  command(turn: TurnRequest): TurnCommand;
  /** What stands before the first prompt of a conversation, for a tool that takes its role only there; null for none. */
  opening(role: string | null): string | null;
  /** @throws Error like {@link command}. */
  terminal(launch: TerminalLaunch): TerminalCommand;
  /** What one JSON row on stdout means. Never throws, whatever the row holds. */
  readRow(row: Record<string, unknown>): CanonicalDraft[];
  /** The evidence in this event that the agent took the prompt ("init row of session …"); null when there is none. */
  promptTaken(event: CanonicalDraft): string | null;
  /** What this event adds to the answer: `replace` starts it over, `append` continues it; null adds nothing. */
  answerPart(event: CanonicalDraft): AnswerPart | null;
  /**
   * How many tasks the agent still has at work in the background, as this event tells; null when it tells nothing of that. Their
   * end wakes the agent, and the turn goes on.
   */
  backgroundTasks(event: CanonicalDraft): number | null;
  /**
   * Whether a failed turn shows that the conversation it asked for does not exist
   * (docs/decisions.md#pinned-conversation).
   */
  sessionLost(failure: FailureSigns): boolean;
}

export interface AnswerPart {
  mode: 'replace' | 'append';
  text: string;
}

/** What a failed turn left behind, for {@link ToolAdapter.sessionLost}. */
export interface FailureSigns {
  /** Text of the last `completion` or error `diagnostic` event, if any. */
  lastError: string | null;
  /** The last 4 KiB of stderr. */
  stderrTail: string;
  exitCode: number | null;
}

/** What a provider row means, in one vocabulary for all tools (docs/decisions.md#canonical-events). */
export type CanonicalKind =
  | 'session'
  | 'assistant'
  | 'reasoning'
  | 'action_request'
  | 'action_result'
  | 'progress'
  | 'completion'
  | 'diagnostic'
  | 'passthrough';

/** One meaning found in a provider row; a row may hold several. */
export interface CanonicalDraft {
  kind: CanonicalKind;
  /** One line for people; for `assistant` the whole text. */
  message: string;
  /** The provider's own name of the row, such as `assistant.text` or `item.completed.command_execution`. */
  provider_event_type: string;
  data: Record<string, unknown>;
  /** The provider object behind it (for Claude content blocks: the block). */
  raw_payload: unknown;
}

/** One line of `canonical-events.jsonl`. */
export interface CanonicalEvent extends CanonicalDraft {
  turn_index: number;
  provider: ToolName;
  /** Arrival time, whole seconds, ISO 8601 with offset. */
  timestamp_utc: string;
  session_id: string | null;
}
