import {
  hookCommand,
  hookSeconds,
  ladderChoice,
  type ReasoningLadder,
  requiredPreset,
  roleText,
} from '../adapter/command-parts.js';
import { textOf } from '../adapter/json-value.js';
import type {
  AnswerPart,
  CanonicalDraft,
  FailureSigns,
  ModelSelection,
  ReasoningChoice,
  SessionSelection,
  TerminalCommand,
  TerminalLaunch,
  ToolAdapter,
  TurnCommand,
  TurnRequest,
} from '../adapter/tool-adapter.js';
import type { HookEvents } from '../self-report/self-report.js';
import { readCodexRow } from './codex-rows.js';

/** Codex CLI, checked against 0.169.0. */
export const codexAdapter: ToolAdapter = {
  name: 'codex',
  backend: 'codex_headless',
  executable: 'codex',
  skillsFolder: 'skills',
  usualHome: '.codex',
  homeEnvVar: 'CODEX_HOME',
  roleInjectionMethod: 'native_developer_instructions',
  credentialEnvVars: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'CODEX_API_KEY'],
  unattendedArgs: [
    '--config=approval_policy="never"',
    '--config=sandbox_mode="danger-full-access"',
    '--config=notice.hide_full_access_warning=true',
    '--config=tui.show_tooltips=false',
  ],
  reservedArgs: ['-c', 'app-server', 'exec', 'resume', '--json'],
  reasoning: codexReasoning,
  reasoningObstacle: () => null,
  hookObstacle: (_place, launchArgs) => codexHookObstacle(launchArgs),
  command: codexCommand,
  opening: () => null,
  terminal: codexTerminal,
  readRow: readCodexRow,
  promptTaken,
  answerPart,
  backgroundTasks: () => null,
  sessionLost,
};

/** `thread.started` comes before Codex reads the prompt, `turn.started` after it. */
function promptTaken(event: CanonicalDraft): string | null {
  return event.provider_event_type === 'turn.started' ? 'turn.started row' : null;
}

function answerPart(event: CanonicalDraft): AnswerPart | null {
  return event.kind === 'assistant' ? { mode: 'replace', text: event.message } : null;
}

/** Codex prints no row for an unknown id, only one line on stderr. */
function sessionLost(failure: FailureSigns): boolean {
  const sign = /no rollout found for (thread|conversation) id/i;
  return sign.test(failure.stderrTail) || sign.test(failure.lastError ?? '');
}

/** `codex ARGS [ROLE] MODEL exec --json --skip-git-repo-check [resume ID | resume --last] - < prompt`. */
function codexCommand(turn: TurnRequest): TurnCommand {
  return {
    args: [...turn.launchArgs, ...roleArgs(turn.role), ...modelArgs(turn.model), ...execArgs(turn.session)],
    stdin: turn.prompt,
    env: {},
    files: {},
  };
}

/** `codex ARGS [ROLE] MODEL [HOOKS] --disable daemon_auto_start [resume ID | resume --last]`. */
function codexTerminal(launch: TerminalLaunch): TerminalCommand {
  return {
    args: [
      ...launch.launchArgs,
      ...roleArgs(launch.role),
      ...modelArgs(launch.model),
      ...(launch.hooks === null ? [] : codexHookArgs(launch.hooks.file, launch.launchArgs)),
      // A daemon would hold the conversation's files, and outlive the terminal.
      ...['--disable', 'daemon_auto_start'],
      ...resumeArgs(launch.session),
    ],
    conversation: launch.session.mode === 'exact' ? launch.session.id : null,
    env: {},
    files: {},
  };
}

function roleArgs(given: string | null): string[] {
  const role = roleText(given);
  return role === null ? [] : ['-c', `developer_instructions=${tomlString(role)}`];
}

function modelArgs(model: ModelSelection): string[] {
  const args: string[] = [];
  if (model.name !== null) args.push(`--config=model=${tomlString(model.name)}`);
  if (model.reasoningLevel !== null) {
    const effort = requiredPreset(codexReasoning(model.reasoningLevel, model.name));
    args.push(`--config=model_reasoning_effort=${tomlString(effort)}`);
  }
  return args;
}

// Without --skip-git-repo-check codex refuses every prompt outside a git repository, in trusted folders too, and an
// agent's working directory need not be a repository.
const execFlags = ['exec', '--json', '--skip-git-repo-check'] as const;

// The last `-` makes Codex read the prompt from stdin.
function execArgs(session: SessionSelection): string[] {
  return [...execFlags, ...resumeArgs(session), '-'];
}

function resumeArgs(session: SessionSelection): string[] {
  if (session.mode === 'new') return [];
  if (session.mode === 'tool_last_or_new') return ['resume', '--last'];
  // An id is data: one that begins with a dash must not be read as an option.
  return ['resume', ...(session.id.startsWith('-') ? ['--', session.id] : [session.id])];
}

const offRefusal = 'Codex has no reasoning effort that turns reasoning off; use 1 or more.';
const commonLadder: ReasoningLadder = {
  presets: ['low', 'medium', 'high', 'xhigh'],
  off: null,
  offRefusal,
};
const ladderUpToMax: ReasoningLadder = {
  ...commonLadder,
  presets: ['low', 'medium', 'high', 'xhigh', 'max'],
};
const ladderUpToUltra: ReasoningLadder = {
  ...commonLadder,
  presets: ['low', 'medium', 'high', 'xhigh', 'max', 'ultra'],
};

function codexReasoning(level: number, modelName: string | null): ReasoningChoice {
  return ladderChoice(ladderOf(modelName ?? ''), level);
}

function ladderOf(model: string): ReasoningLadder {
  if (model === 'gpt-5.6' || model.startsWith('gpt-5.6-sol') || model.startsWith('gpt-5.6-terra')) {
    return ladderUpToUltra;
  }
  return model.startsWith('gpt-5.6-luna') ? ladderUpToMax : commonLadder;
}

export const codexHookEvents: HookEvents = {
  prompt: 'UserPromptSubmit',
  permission: 'PermissionRequest',
  waitingFor: (row) => textOf(row.tool_name) ?? 'permission',
};

/** Prevents a dialog ("Hooks need review") that blocks the start. The flag lets the user's own hooks run unreviewed as well. */
const withoutReview = '--dangerously-bypass-hook-trust';

/** @param launchArgs searched for the flag, because Codex refuses a flag that is given twice. */
function codexHookArgs(file: string, launchArgs: readonly string[]): string[] {
  const hook = `{type="command",timeout=${hookSeconds},command=${tomlString(hookCommand(file))}}`;
  const { prompt, permission } = codexHookEvents;
  return [
    ...[prompt, permission].map((event) => `--config=hooks.${event}=[{hooks=[${hook}]}]`),
    ...(launchArgs.includes(withoutReview) ? [] : [withoutReview]),
  ];
}

/** Of two values on the command line Codex uses only the later one. Hooks in the user's files run beside ours. */
function codexHookObstacle(launchArgs: readonly string[]): string | null {
  const { prompt, permission } = codexHookEvents;
  const ours = new RegExp(`^(?:--config=)?\\s*hooks\\s*(?:=|\\.\\s*"?(?:${prompt}|${permission})\\b)`);
  return launchArgs.some((arg) => ours.test(arg))
    ? 'Codex takes hooks from its command line, one value for each kind, and this launch has its own among the arguments of the tool.'
    : null;
}

/** Writes `text` as a TOML basic string, so that Codex always reads it as text. */
function tomlString(text: string): string {
  // JSON escapes the same way, but leaves DEL and lone surrogates, which TOML does not allow.
  return JSON.stringify(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replaceAll('\u007F', '\\u007F');
}
