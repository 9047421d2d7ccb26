import { join } from 'node:path';
import { hookCommand, hookSeconds } from '../adapter/hook-command.js';
import { textOf } from '../adapter/json-value.js';
import type { HookLaunch, TerminalCommand } from '../adapter/tool-adapter.js';
import type { HookEvents } from '../self-report/hook-events.js';
import { systemSettingsVariable } from './gemini-settings-obstacle.js';

export const geminiHookEvents: HookEvents = {
  prompt: 'BeforeAgent',
  permission: 'Notification',
  waitingFor: (row) => (row.notification_type === 'ToolPermission' ? textOf(row.notification_type) : null),
};

/** Hooks have no flag. Those of a system settings file of ours run beside the user's. */
export function geminiHooks({ file, folder }: HookLaunch): Pick<TerminalCommand, 'env' | 'files'> {
  const path = join(folder, 'gemini-settings.json');
  const hook = { name: 'houmao', type: 'command', command: hookCommand(file), timeout: hookSeconds * 1000 };
  const { prompt, permission } = geminiHookEvents;
  const settings = { hooks: { [prompt]: [{ hooks: [hook] }], [permission]: [{ hooks: [hook] }] } };
  return {
    env: { [systemSettingsVariable]: path },
    files: { [path]: `${JSON.stringify(settings, null, 2)}\n` },
  };
}
