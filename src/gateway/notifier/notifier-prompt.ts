import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { firstCodePoints, sanitiseLine } from '../../foundation/text.js';
import type { NotifyAuth } from '../../mail/message/mail-message.js';
import { countCodePoints, splitLines } from '../../mail/message/mail-text.js';
import { emailCommsSkill, processEmailsSkill } from '../../mail/skills.js';
import type { MailView } from '../../mail/transport/mail-transport.js';
import { knownTool, toolAdapter } from '../../tools/tool-registry.js';
import type { NoticeSettings, NotifierSettings } from './notifier-settings.js';

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

/** The outcome of one notice, for the audit. Keys are those of the audit row. */
export interface NoticeEntry {
  message_ref: string;
  rendered: boolean;
  auth_scheme: NoticeSettings['verifier'];
  auth_outcome: 'skipped' | 'passed' | 'failed';
  auth_detail: string;
  /** Code points of the text that was shown. */
  block_chars: number;
  block_truncated: boolean;
}

/** The part of a message that its notice needs. */
export type NoticedMail = Pick<MailView, 'ref' | 'sender' | 'notifyBlock' | 'notifyAuth'>;

/** The notices of a prompt, ready for its two slots. */
export interface RenderedNotices {
  prepend: string;
  append: string;
  entries: NoticeEntry[];
}

/** The length of the header without an address: no notice in a prompt is shorter. */
const shortestNotice = countCodePoints(headerOf(''));
/** The number of messages that are still read when no room is left, to say how many notices are left out. */
const countedWhenFull = 200;
/** The largest number of entries in the audit. */
const maxEntries = 200;

/**
 * The notices of a prompt: messages are added, oldest first, and their notices are kept where they may be shown and have
 * room (docs/decisions.md#sender-notices). Each line is a quote of its own and has no control character, so that no text
 * can leave its quote or look like another sender's. Nothing else of a message is kept.
 */
export class NoticeBoard {
  readonly #settings: NoticeSettings;
  readonly #slots: Record<'prepend' | 'append', string[]> = { prepend: [], append: [] };
  readonly #entries: NoticeEntry[] = [];
  #room: number;
  #hidden = 0;
  #sinceFull = 0;

  constructor(settings: NoticeSettings) {
    this.#settings = settings;
    this.#room = settings.render === 'disabled' ? 0 : Math.max(0, settings.totalChars);
  }

  /** Whether reading more messages is not worthwhile. */
  get isDone(): boolean {
    return this.#sinceFull >= countedWhenFull;
  }

  add(message: NoticedMail): void {
    if (this.#room < shortestNotice) this.#sinceFull += 1;
    if (message.notifyBlock === null) return;
    const { entry, text } = checked(message, this.#settings);
    const size = text === null ? 0 : countCodePoints(text);
    if (text === null) this.#note(entry);
    else if (size > this.#room) {
      this.#hidden += 1;
      this.#note({ ...entry, auth_detail: 'aggregate cap reached', block_chars: 0 });
    } else {
      this.#room -= size;
      this.#slots[message.notifyBlock.placement].push(text);
      this.#note({ ...entry, rendered: true });
    }
  }

  /** @param unseen the number of messages that were not read for a notice. */
  render(unseen: number): RenderedNotices {
    const { prepend, append } = { prepend: [...this.#slots.prepend], append: [...this.#slots.append] };
    if (this.#hidden > 0) {
      const count = unseen > 0 ? `${this.#hidden} or more` : `${this.#hidden} more`;
      (append.length > 0 ? append : prepend).push(`+ ${count} sender notice(s) — open inbox to read`);
    }
    return {
      prepend: prepend.length > 0 ? `${prepend.join('\n')}\n\n` : '',
      append: append.length > 0 ? `\n\n${append.join('\n')}` : '',
      entries: [...this.#entries],
    };
  }

  #note(entry: NoticeEntry): void {
    if (this.#entries.length < maxEntries) this.#entries.push(entry);
  }
}

/** @returns the text of the notice for the prompt; null where it may not be shown. */
function checked(
  { ref, notifyBlock, notifyAuth, sender }: NoticedMail,
  settings: NoticeSettings,
): { entry: NoticeEntry; text: string | null } {
  const entry = { message_ref: ref, rendered: false, auth_scheme: settings.verifier };
  const nothing = { block_chars: 0, block_truncated: false };
  if (settings.render === 'disabled') {
    const skipped = { auth_outcome: 'skipped', auth_detail: 'render disabled' } as const;
    return { entry: { ...entry, ...skipped, ...nothing }, text: null };
  }
  const { passed, outcome, detail } = verifiers[settings.verifier](notifyAuth, settings);
  const found = { ...entry, auth_outcome: outcome, auth_detail: detail };
  if (settings.authMode === 'required' && !passed) return { entry: { ...found, ...nothing }, text: null };
  const whole = notifyBlock?.text ?? '';
  const longest = Math.max(1, settings.perMessageChars);
  const isLong = countCodePoints(whole) > longest;
  const shown = isLong ? `${firstCodePoints(whole, longest - 1)}…` : whole;
  return {
    entry: { ...found, block_chars: countCodePoints(shown), block_truncated: isLong },
    text: [headerOf(sender.address), ...splitLines(shown).map(quoted)].join('\n'),
  };
}

const quoted = (line: string): string => (line === '' ? '>' : `> ${sanitiseLine(line)}`);

function headerOf(address: string): string {
  return `Sender notice - from ${sanitiseLine(address)}:`;
}

/** The result of the check of a notice. It contains nothing of a token. */
interface NoticeCheck {
  passed: boolean;
  outcome: 'skipped' | 'passed' | 'failed';
  detail: string;
}

/** Decides whether a notice comes from a sender that the operator trusts. A new verifier is one entry of {@link verifiers}. */
type NoticeVerifier = (auth: NotifyAuth | null, settings: NoticeSettings) => NoticeCheck;

const verifiers: Readonly<Record<NoticeSettings['verifier'], NoticeVerifier>> = {
  none: () => ({ passed: true, outcome: 'skipped', detail: 'no verifier configured' }),
  'shared-token': (auth, { sharedTokens }) => {
    if (!auth?.token) return { passed: false, outcome: 'failed', detail: 'missing notify_auth.token' };
    return sharedTokens.includes(auth.token)
      ? { passed: true, outcome: 'passed', detail: 'token matched allowlist' }
      : { passed: false, outcome: 'failed', detail: 'token is not in the allowlist' };
  },
};
