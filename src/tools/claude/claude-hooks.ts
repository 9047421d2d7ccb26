import { hookCommand, hookSeconds } from '../adapter/hook-command.js';
import { textOf } from '../adapter/json-value.js';
import type { HookEvents } from '../self-report/hook-events.js';

/** Of the notifications, the one for a permission comes six seconds after its dialog. */
export const claudeHookEvents: HookEvents = {
  prompt: 'UserPromptSubmit',
  permission: 'PermissionRequest',
  waitingFor: (row) => textOf(row.tool_name) ?? 'permission',
};

const option = '--settings';

/** Settings of one process, added to those of the user. Their hooks run beside ours. */
export function claudeHookArgs(file: string): string[] {
  // Not waited for: nothing that the command does holds Claude Code up.
  const hook = { type: 'command', command: hookCommand(file), async: true, timeout: hookSeconds };
  const { prompt, permission } = claudeHookEvents;
  return [
    option,
    JSON.stringify({ hooks: { [prompt]: [{ hooks: [hook] }], [permission]: [{ hooks: [hook] }] } }),
  ];
}

/** Claude Code reads only the last of several. */
export function claudeHookObstacle(launchArgs: readonly string[]): string | null {
  const taken = launchArgs.some((arg) => arg === option || arg.startsWith(`${option}=`));
  return taken
    ? `Claude Code takes hooks from ${option}, of which it reads only one, and this launch has its own among the arguments of the tool.`
    : null;
}
