import {
  hookCommand,
  hookSeconds,
  ladderChoice,
  optionArgument,
  type ReasoningLadder,
  requiredPreset,
  roleText,
} from '../adapter/command-parts.js';
import { isRecord, listOf, recordOf, textOf, visibleTextOf } from '../adapter/json-value.js';
import { sessionIdOf } from '../adapter/row-facts.js';
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
import { readClaudeRow } from './claude-rows.js';

/** Claude Code, checked against 2.1.330. */
export const claudeAdapter: ToolAdapter = {
  name: 'claude',
  backend: 'claude_headless',
  executable: 'claude',
  skillsFolder: 'skills',
  usualHome: '.claude',
  homeEnvVar: 'CLAUDE_CONFIG_DIR',
  roleInjectionMethod: 'native_append_system_prompt',
  credentialEnvVars: [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'ANTHROPIC_MODEL',
    'ANTHROPIC_SMALL_FAST_MODEL',
    'CLAUDE_CODE_SUBAGENT_MODEL',
    'ANTHROPIC_DEFAULT_OPUS_MODEL',
    'ANTHROPIC_DEFAULT_SONNET_MODEL',
    'ANTHROPIC_DEFAULT_HAIKU_MODEL',
  ],
  unattendedArgs: ['--dangerously-skip-permissions'],
  reservedArgs: [
    '-p',
    '--print',
    '--append-system-prompt',
    '--input-format',
    '--output-format',
    '-r',
    '--resume',
    '-c',
    '--continue',
    '--session-id',
  ],
  reasoning: claudeReasoning,
  reasoningObstacle: () => null,
  hookObstacle: (_place, launchArgs) => claudeHookObstacle(launchArgs),
  command: claudeCommand,
  opening: () => null,
  terminal: claudeTerminal,
  readRow: readClaudeRow,
  promptTaken,
  answerPart,
  backgroundTasks,
  sessionLost,
};

/** Claude Code prints its init row only after it has read a prompt and, on resume, found the conversation. */
function promptTaken(event: CanonicalDraft): string | null {
  if (event.provider_event_type !== 'system.init') return null;
  const id = isRecord(event.raw_payload) ? sessionIdOf(event.raw_payload) : null;
  return id === null ? 'system/init row without a session id' : `system/init row of session ${id}`;
}

/** During the turn the answer is the last text of the main agent; at the end it is the `result` of the result row. */
function answerPart(event: CanonicalDraft): AnswerPart | null {
  const { data } = event;
  if (event.kind === 'completion' && data.status === 'success') {
    const text = visibleTextOf(data.result_text);
    return text === null ? null : { mode: 'replace', text };
  }
  const ofMainAgent = data.parent_tool_use_id === null && data.api_error === undefined;
  return event.kind === 'assistant' && ofMainAgent ? { mode: 'replace', text: event.message } : null;
}

/** Counts the tasks in Claude Code's row, which has the whole list whenever a task begins or ends. */
function backgroundTasks(event: CanonicalDraft): number | null {
  if (event.provider_event_type !== 'system.background_tasks_changed') return null;
  return listOf(recordOf(event.raw_payload)?.tasks)?.length ?? null;
}

function sessionLost(failure: FailureSigns): boolean {
  const sign = /^No conversation found (with session ID|to continue)/m;
  return sign.test(failure.lastError ?? '') || sign.test(failure.stderrTail);
}

/** `claude ARGS MODEL -p --verbose [--append-system-prompt ROLE] [SESSION] --output-format stream-json --include-partial-messages < prompt`. */
function claudeCommand(turn: TurnRequest): TurnCommand {
  return {
    args: [
      ...turn.launchArgs,
      ...modelArgs(turn.model),
      '-p',
      '--verbose',
      // The role is given on every turn: Claude Code does not keep an appended system prompt with the conversation.
      ...roleArgs(turn.role),
      ...sessionArgs(turn.session),
      '--output-format',
      'stream-json',
      '--include-partial-messages',
    ],
    stdin: turn.prompt,
    env: {},
    files: {},
  };
}

/**
 * `claude ARGS MODEL [--append-system-prompt ROLE] [--settings HOOKS] SESSION`: an id that we choose lets us find its files at
 * once.
 */
function claudeTerminal(launch: TerminalLaunch): TerminalCommand {
  const { session, newConversation } = launch;
  const fresh = session.mode === 'new';
  return {
    args: [
      ...launch.launchArgs,
      ...modelArgs(launch.model),
      ...roleArgs(launch.role),
      ...(launch.hooks === null ? [] : claudeHookArgs(launch.hooks.file)),
      ...(fresh ? ['--session-id', newConversation] : sessionArgs(session)),
    ],
    conversation: fresh ? newConversation : session.mode === 'exact' ? session.id : null,
    env: {},
    files: {},
  };
}

function roleArgs(given: string | null): string[] {
  const role = roleText(given);
  return role === null ? [] : optionArgument('--append-system-prompt', role);
}

function modelArgs(model: ModelSelection): string[] {
  const name = model.name === null ? [] : optionArgument('--model', model.name);
  if (model.reasoningLevel === null) return name;
  return [...name, '--effort', requiredPreset(claudeReasoning(model.reasoningLevel, model.name))];
}

function sessionArgs(session: SessionSelection): string[] {
  if (session.mode === 'exact') return optionArgument('--resume', session.id);
  return session.mode === 'tool_last_or_new' ? ['--continue'] : [];
}

const offRefusal = 'Claude Code has no effort level that turns reasoning off; use 1 or more.';
const commonLadder: ReasoningLadder = {
  presets: ['low', 'medium', 'high'],
  off: null,
  offRefusal,
};
const ladderWithMax: ReasoningLadder = { ...commonLadder, presets: ['low', 'medium', 'high', 'max'] };

function claudeReasoning(level: number, modelName: string | null): ReasoningChoice {
  return ladderChoice(modelName?.includes('opus-4-6') ? ladderWithMax : commonLadder, level);
}

/** `PermissionRequest` is used because the notification for a permission comes six seconds after its dialog. */
export const claudeHookEvents: HookEvents = {
  prompt: 'UserPromptSubmit',
  permission: 'PermissionRequest',
  waitingFor: (row) => textOf(row.tool_name) ?? 'permission',
};

const option = '--settings';

/** Returns settings for one process, which are added to those of the user. The user's hooks run beside ours. */
function claudeHookArgs(file: string): string[] {
  // The hook is asynchronous, so that its command cannot delay Claude Code.
  const hook = { type: 'command', command: hookCommand(file), async: true, timeout: hookSeconds };
  const { prompt, permission } = claudeHookEvents;
  return [
    option,
    JSON.stringify({ hooks: { [prompt]: [{ hooks: [hook] }], [permission]: [{ hooks: [hook] }] } }),
  ];
}

/** Checks for `--settings` among the launch's arguments: if it is given several times, Claude Code reads only the last. */
function claudeHookObstacle(launchArgs: readonly string[]): string | null {
  const taken = launchArgs.some((arg) => arg === option || arg.startsWith(`${option}=`));
  return taken
    ? `Claude Code takes hooks from ${option}, of which it reads only one, and this launch has its own among the arguments of the tool.`
    : null;
}
