import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import { makeFolder } from '../foundation/make-folder.js';
import { emailCommsSkill } from '../mail/skills/email-comms.js';
import { processEmailsSkill } from '../mail/skills/process-emails.js';
import type { ToolName } from '../tools/adapter/tool-name.js';
import { toolAdapter } from '../tools/tool-registry.js';

/**
 * Puts the skills for mail where the tool finds them. A file that stands there already is left alone, since somebody may have
 * changed it.
 */
export function installMailSkills(tool: ToolName, homePath: string): void {
  for (const { name, text } of [processEmailsSkill, emailCommsSkill]) {
    const path = join(homePath, toolAdapter(tool).skillsFolder, name, 'SKILL.md');
    if (lstatSync(path, { throwIfNoEntry: false })) continue;
    makeFolder(dirname(path), 0o700);
    writeFileAtomic(path, text);
  }
}
