import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { commsSkill, type InstalledSkills, processSkill } from './notifier-prompt.js';

/** Where each tool looks for skills, below its home. */
const folders: Readonly<Record<string, string>> = {
  claude: 'skills',
  codex: 'skills',
  gemini: join('.gemini', 'skills'),
};

/** Which mailbox skills are there now. @param home the tool's home folder. */
export function installedSkills(tool: string, home: string): InstalledSkills {
  const folder = folders[tool];
  const isThere = (skill: string): boolean =>
    folder !== undefined && existsSync(join(home, folder, skill, 'SKILL.md'));
  return { process: isThere(processSkill), comms: isThere(commsSkill) };
}
