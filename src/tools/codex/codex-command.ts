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
import { codexHookArgs } from './codex-hooks.js';
import { codexReasoning } from './codex-reasoning.js';
import { tomlString } from './toml-string.js';

/** `codex ARGS [ROLE] MODEL exec --json --skip-git-repo-check [resume ID | resume --last] - < prompt`. */
export function codexCommand(turn: TurnRequest): TurnCommand {
  return {
    args: [...turn.launchArgs, ...roleArgs(turn.role), ...modelArgs(turn.model), ...execArgs(turn.session)],
    stdin: turn.prompt,
    env: {},
    files: {},
  };
}

/** `codex ARGS [ROLE] MODEL [HOOKS] --disable daemon_auto_start [resume ID | resume --last]`. */
export function codexTerminal(launch: TerminalLaunch): TerminalCommand {
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

// The last `-` says that the prompt comes by stdin.
function execArgs(session: SessionSelection): string[] {
  return [...execFlags, ...resumeArgs(session), '-'];
}

function resumeArgs(session: SessionSelection): string[] {
  if (session.mode === 'new') return [];
  if (session.mode === 'tool_last_or_new') return ['resume', '--last'];
  // An id is data: one that begins with a dash must not be read as an option.
  return ['resume', ...(session.id.startsWith('-') ? ['--', session.id] : [session.id])];
}
