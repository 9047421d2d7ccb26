import { basename } from 'node:path';
import type { ToolName } from './adapter/tool-name.js';
import { claudeScreens } from './claude/screens/claude-screens.js';
import { codexScreens } from './codex/screens/codex-screens.js';
import { geminiScreens } from './gemini/screens/gemini-screens.js';
import type { ToolScreens } from './screen/screen-profile.js';

const screens: Readonly<Record<ToolName, ToolScreens>> = {
  claude: claudeScreens,
  codex: codexScreens,
  gemini: geminiScreens,
};

/** How the terminal screens of a tool are read. */
export function toolScreens(name: ToolName): ToolScreens {
  return screens[name];
}

/** The same by the name that a manifest gives; null for a tool whose screens nobody has looked at. */
export const screensOf = (tool: string): ToolScreens | null =>
  Object.hasOwn(screens, tool) ? screens[tool as ToolName] : null;

/** By what names a tool's process is known, in lower case: its own, and the program it was started as. */
export const toolProcessNames = (tool: string, executable: string): ReadonlySet<string> =>
  new Set([...(screensOf(tool)?.processNames ?? []), basename(executable).toLowerCase()]);
