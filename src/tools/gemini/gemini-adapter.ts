import { join } from 'node:path';
import { optionArgument, requiredPreset, roleText } from '../adapter/command-parts.js';
import { textOf } from '../adapter/json-value.js';
import type {
  AnswerPart,
  CanonicalDraft,
  FailureSigns,
  SessionSelection,
  TerminalCommand,
  TerminalLaunch,
  ToolAdapter,
  TurnCommand,
  TurnRequest,
} from '../adapter/tool-adapter.js';
import { readGeminiRow } from './gemini-rows.js';
import {
  geminiHooks,
  geminiReasoning,
  settingsObstacle,
  systemSettingsVariable,
  thinkingSettings,
} from './gemini-settings.js';

/** Gemini CLI, checked against 0.61.0. */
export const geminiAdapter: ToolAdapter = {
  name: 'gemini',
  backend: 'gemini_headless',
  executable: 'gemini',
  skillsFolder: '.gemini/skills',
  usualHome: '',
  homeEnvVar: 'GEMINI_CLI_HOME',
  roleInjectionMethod: 'bootstrap_message',
  credentialEnvVars: [
    'GEMINI_API_KEY',
    'GOOGLE_API_KEY',
    'GOOGLE_GEMINI_BASE_URL',
    'GOOGLE_GENAI_USE_VERTEXAI',
    'GOOGLE_GENAI_USE_GCA',
  ],
  unattendedArgs: ['--approval-mode=yolo', '--sandbox=false'],
  reservedArgs: [
    '-p',
    '--prompt',
    '-i',
    '--prompt-interactive',
    '-o',
    '--output-format',
    '-r',
    '--resume',
    '--session-id',
  ],
  reasoning: geminiReasoning,
  reasoningObstacle: (place) => settingsObstacle('a reasoning level', place),
  hookObstacle: (place) => settingsObstacle('hooks of a launch', place),
  command: geminiCommand,
  opening: geminiOpening,
  terminal: geminiTerminal,
  readRow: readGeminiRow,
  promptTaken,
  answerPart,
  backgroundTasks: () => null,
  sessionLost,
};

/** Gemini CLI prints `init` once it has read stdin and, on resume, found the conversation. */
function promptTaken(event: CanonicalDraft): string | null {
  if (event.provider_event_type !== 'init' || event.kind !== 'session') return null;
  const id = textOf(event.data.session_id);
  return id === null ? 'init row without a session id' : `init row of session ${id}`;
}

/** Gemini CLI prints its text in pieces. Text before a tool call is not part of the final answer. */
function answerPart(event: CanonicalDraft): AnswerPart | null {
  if (event.kind === 'action_result') return { mode: 'replace', text: '' };
  if (event.kind !== 'assistant') return null;
  return { mode: event.data.delta === true ? 'append' : 'replace', text: event.message };
}

/** Exit code 42 stands for any bad input, so the text has to match too. */
function sessionLost(failure: FailureSigns): boolean {
  const sign = /Error resuming session: (Invalid session identifier|No previous sessions found)/;
  return failure.exitCode === 42 && sign.test(failure.stderrTail);
}

/** `gemini ARGS [-m MODEL] [--resume ID | --resume latest] --output-format stream-json < prompt`. */
function geminiCommand(turn: TurnRequest): TurnCommand {
  const { model } = turn;
  return {
    args: [
      ...turn.launchArgs,
      ...(model.name === null ? [] : optionArgument('-m', model.name)),
      ...sessionArgs(turn.session),
      '--output-format',
      'stream-json',
    ],
    stdin: promptWithRole(turn),
    ...thinkingOfTurn(turn),
  };
}

/**
 * `gemini ARGS [-m MODEL] SESSION`. The role is not among the arguments: Gemini CLI can get it only at the start of the
 * conversation's first prompt.
 */
function geminiTerminal(launch: TerminalLaunch): TerminalCommand {
  const { model, session, newConversation } = launch;
  const fresh = session.mode === 'new';
  return {
    args: [
      ...launch.launchArgs,
      ...(model.name === null ? [] : optionArgument('-m', model.name)),
      ...(fresh ? ['--session-id', newConversation] : sessionArgs(session)),
    ],
    conversation: fresh ? newConversation : session.mode === 'exact' ? session.id : null,
    ...(launch.hooks === null ? { env: {}, files: {} } : geminiHooks(launch.hooks)),
  };
}

function sessionArgs(session: SessionSelection): string[] {
  if (session.mode === 'exact') return optionArgument('--resume', session.id);
  return session.mode === 'tool_last_or_new' ? ['--resume', 'latest'] : [];
}

// Gemini CLI has no flag for a role, so the role opens the conversation; a resumed conversation already has it.
function promptWithRole(turn: TurnRequest): string {
  const opening = turn.session.mode === 'new' ? geminiOpening(turn.role) : null;
  return opening === null ? turn.prompt : opening + turn.prompt;
}

/** Returns the role as a block that is put in front of the first prompt; null if there is no role. */
function geminiOpening(given: string | null): string | null {
  const role = roleText(given);
  if (role === null) return null;
  const block = [
    '=== Your role in this conversation: follow it from here on ===',
    role.trimEnd(),
    '=== End of the role; the first request comes next ===',
  ];
  return `${block.join('\n')}\n\n`;
}

// There is no flag for thinking either. A system settings file of our own outranks the user's settings without changing them;
// `settingsObstacle` says where Gemini CLI would not read it.
function thinkingOfTurn(turn: TurnRequest): Pick<TurnCommand, 'env' | 'files'> {
  const level = turn.model.reasoningLevel;
  if (level === null) return { env: {}, files: {} };
  const path = join(turn.turnDirectory, 'gemini-settings.json');
  requiredPreset(geminiReasoning(level, turn.model.name));
  return {
    env: { [systemSettingsVariable]: path },
    files: { [path]: thinkingSettings(level, turn.model.name) },
  };
}
