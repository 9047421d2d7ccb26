import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { emailCommsSkill } from '../../mail/skills/email-comms.js';
import { processEmailsSkill } from '../../mail/skills/process-emails.js';
import { knownTool, toolAdapter } from '../../tools/tool-registry.js';
import type { InstalledSkills } from './notifier-prompt.js';

/** Which mailbox skills are there now. @param home the tool's home folder. */
export function installedSkills(tool: string, home: string): InstalledSkills {
  const known = knownTool(tool);
  if (known === null) return { process: false, comms: false };
  const { skillsFolder } = toolAdapter(known);
  const isThere = (skill: string): boolean => existsSync(join(home, skillsFolder, skill, 'SKILL.md'));
  return { process: isThere(processEmailsSkill.name), comms: isThere(emailCommsSkill.name) };
}
