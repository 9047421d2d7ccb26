import type { ToolName } from './adapter/tool-name.js';
import { codexScreens } from './codex/screens/codex-screens.js';
import { geminiScreens } from './gemini/screens/gemini-screens.js';
import type { ToolScreens } from './screen/screen-profile.js';

const screens: Readonly<Partial<Record<ToolName, ToolScreens>>> = {
  codex: codexScreens,
  gemini: geminiScreens,
};

/** How the terminal screens of a tool are read; null where nobody has looked at them. */
export function toolScreens(name: ToolName): ToolScreens | null {
  return screens[name] ?? null;
}
