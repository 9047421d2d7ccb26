import { optionArgument } from '../adapter/option-argument.js';
import { requiredPreset } from '../adapter/reasoning-ladder.js';
import { roleText } from '../adapter/role-text.js';
import type { ModelSelection, SessionSelection, TurnCommand, TurnRequest } from '../adapter/tool-adapter.js';
import { claudeReasoning } from './claude-reasoning.js';

/** `claude ARGS MODEL -p --verbose [--append-system-prompt ROLE] [SESSION] --output-format stream-json < prompt`. */
export function claudeCommand(turn: TurnRequest): TurnCommand {
  const role = roleText(turn.role);
  return {
    args: [
      ...turn.launchArgs,
      ...modelArgs(turn.model),
      '-p',
      '--verbose',
      // On every turn: Claude Code does not keep an appended system prompt with the conversation.
      ...(role === null ? [] : optionArgument('--append-system-prompt', role)),
      ...sessionArgs(turn.session),
      '--output-format',
      'stream-json',
    ],
    stdin: turn.prompt,
    env: {},
    files: {},
  };
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
