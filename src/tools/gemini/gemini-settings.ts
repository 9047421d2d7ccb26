import { existsSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  hookCommand,
  hookSeconds,
  ladderChoice,
  type ReasoningLadder,
  requiredPreset,
} from '../adapter/command-parts.js';
import { textOf } from '../adapter/json-value.js';
import type { HookLaunch, ReasoningChoice, SettingsPlace, TerminalCommand } from '../adapter/tool-adapter.js';
import type { HookEvents } from '../self-report/self-report.js';

export const systemSettingsVariable = 'GEMINI_CLI_SYSTEM_SETTINGS_PATH';
const defaultsVariable = 'GEMINI_CLI_SYSTEM_DEFAULTS_PATH';

/** The facts about this machine that are checked; tests supply their own. */
export interface Machine {
  /** Undefined where there are no user ids (Windows). */
  uid: number | undefined;
  exists(path: string): boolean;
  realPath(path: string): string;
  stat(path: string): Pick<Stats, 'uid' | 'mode'>;
}

const thisMachine: Machine = {
  uid: process.getuid?.(),
  exists: existsSync,
  realPath: (path) => realpathSync(path),
  stat: (path) => statSync(path),
};

/**
 * Says why Gemini CLI would not take a settings file of ours below this folder; null if it would. It skips, with a mere warning,
 * a system settings file that anyone but root could have written (measured with 0.61.0), and it reads only one: ours must not
 * replace an administrator's.
 *
 * @param what the content of the file, for the sentence.
 */
export function settingsObstacle(
  what: string,
  place: SettingsPlace,
  machine: Machine = thisMachine,
): string | null {
  const leadSentence = `Gemini CLI takes ${what} only from a system settings file`;
  if (machine.uid !== 0)
    return `${leadSentence} that root has written, and this gateway does not run as root.`;
  const writable = foldersAbove(place.folder, machine).find((folder) => !isOnlyRoots(folder, machine));
  if (writable !== undefined) {
    return `${leadSentence} in a place where only root can write, and ${writable} is not one: make root its owner, or run with HOUMAO_GLOBAL_RUNTIME_DIR elsewhere.`;
  }
  const present = otherSettings(place, machine);
  return present === undefined ? null : `${leadSentence}, and this agent has one already: ${present}.`;
}

/** Returns the folder and all folders above it, by their given paths and by their paths with symbolic links resolved. */
function foldersAbove(folder: string, machine: Machine): string[] {
  const above = (path: string): string[] =>
    dirname(path) === path ? [path] : [...above(dirname(path)), path];
  return [...new Set([...above(folder), ...above(machine.realPath(folder))])];
}

function isOnlyRoots(folder: string, machine: Machine): boolean {
  const { uid, mode } = machine.stat(folder);
  return uid === 0 && (mode & 0o022) === 0;
}

function otherSettings({ environment }: SettingsPlace, machine: Machine): string | undefined {
  const named = [systemSettingsVariable, defaultsVariable].find((name) => environment[name] !== undefined);
  if (named !== undefined) return named;
  const folder = process.platform === 'darwin' ? '/Library/Application Support/GeminiCli' : '/etc/gemini-cli';
  return ['settings.json', 'system-defaults.json'].map((name) => `${folder}/${name}`).find(machine.exists);
}

export const geminiHookEvents: HookEvents = {
  prompt: 'BeforeAgent',
  permission: 'Notification',
  waitingFor: (row) => (row.notification_type === 'ToolPermission' ? textOf(row.notification_type) : null),
};

/**
 * Returns the settings with the hooks of a launch: hooks have no flag. Hooks in our system settings file run beside the user's.
 */
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

/**
 * The kind of thinking setting that a model takes. Gemini 3 models take a thinking level, older ones a token budget; the API
 * refuses a request with both. A name that Gemini CLI resolves itself ("auto", or none) may lead to either.
 */
type GeminiFamily = 'level' | 'budget' | 'routed';

const thinkingLevels = ['LOW', 'MEDIUM', 'HIGH'] as const;
const thinkingBudgets = ['512', '2048', '4096', '8192', '16384'] as const;

const ladders: Readonly<Record<GeminiFamily, ReasoningLadder>> = {
  level: {
    presets: thinkingLevels,
    off: null,
    offRefusal: 'Gemini 3 models cannot turn thinking off; use 1 or more.',
  },
  budget: { presets: thinkingBudgets, off: '0', offRefusal: '' },
  routed: {
    presets: thinkingBudgets,
    off: null,
    offRefusal:
      'Without a model name Gemini CLI may choose a Gemini 3 model, which cannot turn thinking off; name a model or use 1 or more.',
  },
};

export function geminiReasoning(level: number, modelName: string | null): ReasoningChoice {
  return ladderChoice(ladders[familyOf(modelName)], level);
}

/**
 * Writes a Gemini CLI settings file that sets the thinking of one turn, in place of the user's own `customOverrides`. Each family
 * gets its setting through the base that its chat models extend, because Gemini CLI renames models (gemini-3-pro-preview is sent
 * as gemini-3.1-pro-preview): an override by name would miss those, and one for every chat model would add a budget to a level.
 */
export function thinkingSettings(level: number, modelName: string | null): string {
  const overrides = [
    override('chat-base-2.5', budgetConfig(level)),
    // "Off" does not exist for a Gemini 3 model: if the named model resolves to one, the API refuses this setting.
    override('chat-base-3', level === 0 ? budgetConfig(0) : levelConfig(level)),
  ];
  const family = familyOf(modelName);
  if (modelName !== null && family !== 'routed') {
    // A model that is not in Gemini CLI's own table has neither base.
    overrides.push(override(modelName, family === 'level' ? levelConfig(level) : budgetConfig(level)));
  }
  return `${JSON.stringify({ modelConfigs: { customOverrides: overrides } }, null, 2)}\n`;
}

const override = (model: string, thinkingConfig: object) => ({
  match: { model },
  modelConfig: { generateContentConfig: { thinkingConfig } },
});

const budgetConfig = (level: number) => ({
  thinkingBudget: Number(requiredPreset(ladderChoice(ladders.budget, level))),
});

const levelConfig = (level: number) => ({
  thinkingLevel: requiredPreset(ladderChoice(ladders.level, level)),
});

function familyOf(modelName: string | null): GeminiFamily {
  const name = modelName ?? 'auto';
  // Gemma 4 is built on Gemini CLI's base for Gemini 3.
  if (/^((auto-)?gemini-3|gemma-4)/.test(name)) return 'level';
  return ['auto', 'pro', 'flash', 'flash-lite'].includes(name) ? 'routed' : 'budget';
}
