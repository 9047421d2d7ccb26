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
