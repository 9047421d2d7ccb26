import { lstatSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import { makeFolder } from '../foundation/make-folder.js';
import { packageRoot } from '../foundation/version.js';
import { emailCommsSkill, processEmailsSkill } from '../mail/skills.js';
import type { ToolName } from '../tools/adapter/tool-adapter.js';
import { toolAdapter } from '../tools/tool-registry.js';

/** A text that a tool finds by its name and description, and reads when it needs it (https://agentskills.io). */
export interface Skill {
  readonly name: string;
  readonly text: string;
}

/** The skills of an agent with a mailbox. */
export const mailSkills: readonly Skill[] = [processEmailsSkill, emailCommsSkill];

/** Returns the skill by which an agent works with others: `skills/houmao/SKILL.md` of this package. */
export const houmaoSkill = (): Skill => ({
  name: 'houmao',
  text: readFileSync(join(packageRoot, 'skills', 'houmao', 'SKILL.md'), 'utf8'),
});

/**
 * Writes skills to the folder in which the tool looks for them. An existing file is kept, because a user may have
 * changed it.
 */
export function installSkills(tool: ToolName, homePath: string, skills: readonly Skill[]): void {
  for (const { name, text } of skills) {
    const path = join(homePath, toolAdapter(tool).skillsFolder, name, 'SKILL.md');
    if (lstatSync(path, { throwIfNoEntry: false })) continue;
    makeFolder(dirname(path), 0o700);
    writeFileAtomic(path, text);
  }
}
