/** The command-line agents for which there is an adapter. */
export type ToolName = 'claude' | 'codex' | 'gemini';

/** The conversation that a turn continues, with all defaults resolved. */
export type SessionSelection = { mode: 'new' } | { mode: 'tool_last_or_new' } | { mode: 'exact'; id: string };

/** Model and reasoning of one turn, with the settings of the launch included. */
export interface ModelSelection {
  name: string | null;
  /** The position on the ladder of {@link ToolAdapter.reasoning}; null for the tool's own default. */
  reasoningLevel: number | null;
}

/** Everything that a tool needs to run one turn. */
export interface TurnRequest {
  /** `launch_plan.args` of the manifest. */
  launchArgs: readonly string[];
  prompt: string;
  /** The role prompt; null if there is none. */
  role: string | null;
  session: SessionSelection;
  model: ModelSelection;
  /** The folder for files of this turn that the tool may need (absolute path). */
  turnDirectory: string;
}

/**
 * The command that runs one turn. The prompt goes in by stdin, so it is not visible in `ps` and not subject to an argument limit
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

/** Everything that a tool needs to run in a terminal, until it is ended. */
export interface TerminalLaunch {
  /** `launch_plan.args` of the manifest. */
  launchArgs: readonly string[];
  /** The role prompt; null if there is none. */
  role: string | null;
  session: SessionSelection;
  model: ModelSelection;
  /** The id for a new conversation, if the tool takes one. A UUID that was never used. */
  newConversation: string;
  /** Null for a launch without hooks. */
  hooks: HookLaunch | null;
}

/** A launch with hooks, in which the tool reports events to commands of ours; all paths are absolute. */
export interface HookLaunch {
  /** The file to which each call adds a row. */
  file: string;
  /** The folder for files that the tool may need; only its owner may enter. */
  folder: string;
}

/** The command that runs the tool in a terminal. */
export interface TerminalCommand {
  args: readonly string[];
  /** The id of the conversation from the start; null if the tool chooses it. */
  conversation: string | null;
  /** Variables on top of the agent's environment. */
  env: Readonly<Record<string, string>>;
  /** Files to write before the start, absolute path to content. */
  files: Readonly<Record<string, string>>;
}

/** A reasoning preset, or the reason why there is none at this level. */
export type ReasoningChoice = { ok: true; preset: string } | { ok: false; reason: string };

/** The place in which a tool with a settings file would run, for {@link ToolAdapter.reasoningObstacle}. */
export interface SettingsPlace {
  /** The existing folder above {@link TurnRequest.turnDirectory}. */
  folder: string;
  /** The environment that the launch gave the tool. */
  environment: Readonly<Record<string, string>>;
}

/** Everything that is specific to one CLI. A new CLI is one folder with one of these. */
export interface ToolAdapter {
  readonly name: ToolName;
  readonly backend: 'claude_headless' | 'codex_headless' | 'gemini_headless';
  /** The default executable, looked up on PATH. */
  readonly executable: string;
  /** The folder in which the tool looks for skills, below its home folder. */
  readonly skillsFolder: string;
  /** The tool's home folder while {@link homeEnvVar} is not set, below the user's home folder. */
  readonly usualHome: string;
  /** The variable that names the tool's home folder. */
  readonly homeEnvVar: string;
  readonly roleInjectionMethod:
    | 'native_append_system_prompt'
    | 'native_developer_instructions'
    | 'bootstrap_message';
  /** Variables with credentials or endpoints; `agents launch` records those that are set. */
  readonly credentialEnvVars: readonly string[];
  /**
   * Flags that skip the tool's permission questions; only with `agents launch --unattended`
   * (docs/decisions.md#unattended).
   */
  readonly unattendedArgs: readonly string[];
  /**
   * Arguments that a launch may not carry, because a turn sets them itself. An option is named without a value: `--resume` stands
   * for `--resume=ID` too.
   */
  readonly reservedArgs: readonly string[];
  /** Returns the preset for a ladder position, 1-based and saturating; 0 asks for "off". */
  reasoning(level: number, modelName: string | null): ReasoningChoice;
  /** Says why the tool would ignore every reasoning level here; null if it honours them. Reads the file system. */
  reasoningObstacle(place: SettingsPlace): string | null;
  /** Says why the tool cannot be given hooks here without losing settings of the user; null if it can. */
  hookObstacle(place: SettingsPlace, launchArgs: readonly string[]): string | null;
  /** @throws Error when `model.reasoningLevel` is not on the ladder: check with {@link reasoning} first. */
  command(turn: TurnRequest): TurnCommand;
  /** Returns the text before the first prompt of a conversation, for a tool that takes its role only there; null for none. */
  opening(role: string | null): string | null;
  /** @throws Error like {@link command}. */
  terminal(launch: TerminalLaunch): TerminalCommand;
  /** Translates one JSON row on stdout into canonical events. Never throws, whatever the row holds. */
  readRow(row: Record<string, unknown>): CanonicalDraft[];
  /** Returns the evidence in this event that the agent took the prompt ("init row of session …"); null if there is none. */
  promptTaken(event: CanonicalDraft): string | null;
  /** Returns what this event adds to the answer: `replace` starts it over, `append` continues it; null adds nothing. */
  answerPart(event: CanonicalDraft): AnswerPart | null;
  /**
   * Returns the number of tasks that the agent still runs in the background, by this event; null if the event does not report it.
   * The end of such a task wakes the agent, and the turn continues.
   */
  backgroundTasks(event: CanonicalDraft): number | null;
  /**
   * Decides whether a failed turn shows that the requested conversation does not exist (docs/decisions.md#pinned-conversation).
   */
  sessionLost(failure: FailureSigns): boolean;
}

export interface AnswerPart {
  mode: 'replace' | 'append';
  text: string;
}

/** The traces of a failed turn, for {@link ToolAdapter.sessionLost}. */
export interface FailureSigns {
  /** Text of the last `completion` or error `diagnostic` event, if any. */
  lastError: string | null;
  /** The last 4 KiB of stderr. */
  stderrTail: string;
  exitCode: number | null;
}

/** The meaning of a provider row, in one vocabulary for all tools (docs/decisions.md#canonical-events). */
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
  /** The provider object it was read from (for Claude content blocks: the block). */
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
