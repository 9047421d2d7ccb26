import { join } from 'node:path';
import { optionArgument } from '../adapter/option-argument.js';
import { requiredPreset } from '../adapter/reasoning-ladder.js';
import { roleText } from '../adapter/role-text.js';
import type {
  SessionSelection,
  TerminalCommand,
  TerminalLaunch,
  TurnCommand,
  TurnRequest,
} from '../adapter/tool-adapter.js';
import { geminiHooks } from './gemini-hooks.js';
import { systemSettingsVariable } from './gemini-settings-obstacle.js';
import { geminiReasoning, thinkingSettings } from './gemini-thinking.js';

/** `gemini ARGS [-m MODEL] [--resume ID | --resume latest] --output-format stream-json < prompt`. */
export function geminiCommand(turn: TurnRequest): TurnCommand {
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

/** `gemini ARGS [-m MODEL] SESSION`. Its role can only open the conversation. */
export function geminiTerminal(launch: TerminalLaunch): TerminalCommand {
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

/** The role, in front of the first prompt. */
export function geminiOpening(given: string | null): string | null {
  const role = roleText(given);
  if (role === null) return null;
  const block = [
    '=== Your role in this conversation: follow it from here on ===',
    role.trimEnd(),
    '=== End of the role; the first request comes next ===',
  ];
  return `${block.join('\n')}\n\n`;
}

// Thinking has no flag either. A system settings file of our own outranks the user's without editing any of them;
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
