import { basename } from 'node:path';
import type { ToolName } from './adapter/tool-adapter.js';
import { claudeSelfReport } from './claude/claude-self-report.js';
import { claudeScreens } from './claude/screens/claude-screens.js';
import { codexSelfReport } from './codex/codex-self-report.js';
import { codexScreens } from './codex/screens/codex-screens.js';
import { geminiScreens } from './gemini/gemini-screens.js';
import { geminiSelfReport } from './gemini/gemini-self-report.js';
import type { ToolScreens } from './screen/screen-profile.js';
import type { ToolSelfReport } from './self-report/self-report.js';

const screens: Readonly<Record<ToolName, ToolScreens>> = {
  claude: claudeScreens,
  codex: codexScreens,
  gemini: geminiScreens,
};

/** Returns the reader of the screens of the tool that a manifest names; null for a tool whose screens are not supported. */
export const screensOf = (tool: string): ToolScreens | null =>
  Object.hasOwn(screens, tool) ? screens[tool as ToolName] : null;

/** Returns the names under which a tool's process is known, in lower case: its own names, and the program it was started as. */
export const toolProcessNames = (tool: string, executable: string): ReadonlySet<string> =>
  new Set([...(screensOf(tool)?.processNames ?? []), basename(executable).toLowerCase()]);

const reports: Readonly<Record<ToolName, ToolSelfReport>> = {
  claude: claudeSelfReport,
  codex: codexSelfReport,
  gemini: geminiSelfReport,
};

export function toolSelfReport(name: ToolName): ToolSelfReport {
  return reports[name];
}
