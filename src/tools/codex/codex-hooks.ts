import { hookCommand, hookSeconds } from '../adapter/hook-command.js';
import { textOf } from '../adapter/json-value.js';
import type { HookEvents } from '../self-report/hook-events.js';
import { tomlString } from './toml-string.js';

export const codexHookEvents: HookEvents = {
  prompt: 'UserPromptSubmit',
  permission: 'PermissionRequest',
  waitingFor: (row) => textOf(row.tool_name) ?? 'permission',
};

/** Without it a dialog ("Hooks need review") blocks the start. It lets the user's own hooks run unreviewed as well. */
const withoutReview = '--dangerously-bypass-hook-trust';

/** @param launchArgs Codex refuses a flag that is given twice. */
export function codexHookArgs(file: string, launchArgs: readonly string[]): string[] {
  const hook = `{type="command",timeout=${hookSeconds},command=${tomlString(hookCommand(file))}}`;
  const { prompt, permission } = codexHookEvents;
  return [
    ...[prompt, permission].map((event) => `--config=hooks.${event}=[{hooks=[${hook}]}]`),
    ...(launchArgs.includes(withoutReview) ? [] : [withoutReview]),
  ];
}

/** Of two values on the command line only the later counts; hooks in files of the user run beside ours. */
export function codexHookObstacle(launchArgs: readonly string[]): string | null {
  const { prompt, permission } = codexHookEvents;
  const ours = new RegExp(`^(?:--config=)?\\s*hooks\\s*(?:=|\\.\\s*"?(?:${prompt}|${permission})\\b)`);
  return launchArgs.some((arg) => ours.test(arg))
    ? 'Codex takes hooks from its command line, one value for each kind, and this launch has its own among the arguments of the tool.'
    : null;
}
