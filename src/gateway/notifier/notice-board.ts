import { firstCodePoints, sanitiseLine } from '../../foundation/text.js';
import type { NotifyAuth } from '../../mail/message/mail-message.js';
import { countCodePoints, splitLines } from '../../mail/message/mail-text.js';
import type { MailView } from '../../mail/transport/mail-transport.js';
import type { NoticeSettings } from './notifier-settings.js';

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
