import { optionArgument } from '../adapter/option-argument.js';
import { requiredPreset } from '../adapter/reasoning-ladder.js';
import { roleText } from '../adapter/role-text.js';
import type {
  ModelSelection,
  SessionSelection,
  TerminalCommand,
  TerminalLaunch,
  TurnCommand,
  TurnRequest,
} from '../adapter/tool-adapter.js';
import { claudeHookArgs } from './claude-hooks.js';
import { claudeReasoning } from './claude-reasoning.js';

/** `claude ARGS MODEL -p --verbose [--append-system-prompt ROLE] [SESSION] --output-format stream-json < prompt`. */
export function claudeCommand(turn: TurnRequest): TurnCommand {
  return {
    args: [
      ...turn.launchArgs,
      ...modelArgs(turn.model),
      '-p',
      '--verbose',
      // On every turn: Claude Code does not keep an appended system prompt with the conversation.
      ...roleArgs(turn.role),
      ...sessionArgs(turn.session),
      '--output-format',
      'stream-json',
    ],
    stdin: turn.prompt,
    env: {},
    files: {},
  };
}

/** `claude ARGS MODEL [--append-system-prompt ROLE] [--settings HOOKS] SESSION`: with an id of ours its own files are found at once. */
export function claudeTerminal(launch: TerminalLaunch): TerminalCommand {
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
