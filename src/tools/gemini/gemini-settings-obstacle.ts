import { existsSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SettingsPlace } from '../adapter/tool-adapter.js';

export const systemSettingsVariable = 'GEMINI_CLI_SYSTEM_SETTINGS_PATH';
const defaultsVariable = 'GEMINI_CLI_SYSTEM_DEFAULTS_PATH';

/** The questions to the machine; tests give their own answers. */
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
 * Why Gemini CLI would not take a settings file of ours below this folder, or null. It skips, with a mere warning, a
 * system settings file that anyone but root could have written (measured with 0.61.0), and it reads only one: ours must
 * not displace an administrator's.
 *
 * @param what the file would hold.
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

/** The folder and all above it, as named and as they are behind symbolic links. */
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
