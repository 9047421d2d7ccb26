import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { emailCommsSkill, processEmailsSkill } from '../../mail/skills.js';
import { knownTool, toolAdapter } from '../../tools/tool-registry.js';
import type { RenderedNotices } from './notice-board.js';
import type { NotifierSettings } from './notifier-settings.js';

/** The skills that a launch put where the tool finds them. */
export interface InstalledSkills {
  process: boolean;
  comms: boolean;
}

export interface NotifierPromptParts {
  tool: string;
  skills: InstalledSkills;
  settings: Pick<NotifierSettings, 'mode' | 'appendixText'>;
  /** An address that accepts connections, such as `http://127.0.0.1:43123`. */
  gatewayUrl: string;
  notices: Pick<RenderedNotices, 'prepend' | 'append'>;
}

const { name: processSkill } = processEmailsSkill;
const { name: commsSkill } = emailCommsSkill;

const apiSummary =
  'Mailbox API: `GET /v1/mail/status`; `POST /v1/mail/list|peek|read|reply|send|post|mark|move|archive`.';

const guidance: Readonly<Record<NotifierSettings['mode'], string>> = {
  any_inbox: 'open unarchived inbox mail',
  unread_only: 'unread unarchived inbox mail',
};

/**
 * Builds the prompt that wakes the agent (docs/decisions.md#notifier-prompt). It is put together once, from parts, so
 * that no text in a part is taken for a placeholder. It contains no reference, subject or body of a message. Pure.
 */
export function notifierPrompt({ tool, skills, settings, gatewayUrl, notices }: NotifierPromptParts): string {
  const { mode, appendixText } = settings;
  const appendix = appendixText === '' ? '' : `\n\nAdditional runtime guidance:\n${appendixText}`;
  return [
    `${notices.prepend}You have mail in inbox.`,
    skillUsage(tool, skills, gatewayUrl),
    `Mode: \`${mode}\` - ${guidance[mode]}\nGateway: \`${gatewayUrl}\``,
    `${apiSummary}${appendix}${notices.append}`,
    'Use the mailbox skill or API above for this round.',
  ]
    .join('\n\n')
    .trimEnd();
}

function skillUsage(tool: string, { process, comms }: InstalledSkills, gatewayUrl: string): string {
  if (!process)
    return 'No mailbox skill is installed for this agent.\nWork through the mailbox with the API below.';
  const call = calls[tool]?.(gatewayUrl) ?? `Use the skill \`${processSkill}\` for this mail.`;
  return comms ? `${call}\nDetails: \`${commsSkill}\`` : call;
}

/** The way to call a skill, for tools that have a way of their own. */
const calls: Readonly<Record<string, (gatewayUrl: string) => string>> = {
  claude: () => `/${processSkill}`,
  codex: (gatewayUrl) => `$${processSkill} ${gatewayUrl}`,
};

/**
 * Returns which mailbox skills are installed now.
 * @param home the tool's home folder.
 */
export function installedSkills(tool: string, home: string): InstalledSkills {
  const known = knownTool(tool);
  if (known === null) return { process: false, comms: false };
  const { skillsFolder } = toolAdapter(known);
  const isThere = (skill: string): boolean => existsSync(join(home, skillsFolder, skill, 'SKILL.md'));
  return { process: isThere(processEmailsSkill.name), comms: isThere(emailCommsSkill.name) };
}
