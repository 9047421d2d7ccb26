import { firstCodePoints } from '../../foundation/code-points.js';
import { sanitiseLine } from '../../foundation/sanitise.js';
import { countCodePoints, splitLines } from '../../mail/message/python-text.js';
import type { MailView } from '../../mail/transport/mail-transport.js';
import { verifiers } from './notice-verifiers.js';
import type { NoticeSettings } from './notifier-settings.js';

/** What became of one notice, for the audit. Keys are those of the audit row. */
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

/** The notices of a prompt, ready for its two slots. */
export interface RenderedNotices {
  prepend: string;
  append: string;
  entries: NoticeEntry[];
}

/**
 * Pure: the notices of messages, as far as they may be shown and have room (docs/decisions.md#sender-notices). Each line is a
 * quote of its own and has no control character, so that no text can leave its quote or look like another sender's.
 * @param messages the oldest first.
 */
export function renderNotices(messages: readonly MailView[], settings: NoticeSettings): RenderedNotices {
  const slots: Record<'prepend' | 'append', string[]> = { prepend: [], append: [] };
  const entries: NoticeEntry[] = [];
  let room = Math.max(0, settings.totalChars);
  let hidden = 0;
  for (const message of messages) {
    if (message.notifyBlock === null) continue;
    const { entry, text } = checked(message, settings);
    const size = text === null ? 0 : countCodePoints(text);
    if (text !== null && size <= room) {
      room -= size;
      slots[message.notifyBlock.placement].push(text);
      entries.push({ ...entry, rendered: true });
    } else {
      if (text !== null) hidden += 1;
      entries.push(
        text === null ? entry : { ...entry, auth_detail: 'aggregate cap reached', block_chars: 0 },
      );
    }
  }
  if (hidden > 0) {
    const more = `+ ${hidden} more sender notice(s) — open inbox to read`;
    (slots.append.length > 0 ? slots.append : slots.prepend).push(more);
  }
  return {
    prepend: slots.prepend.length > 0 ? `${slots.prepend.join('\n')}\n\n` : '',
    append: slots.append.length > 0 ? `\n\n${slots.append.join('\n')}` : '',
    entries,
  };
}

/** @returns its text for the prompt; null where it may not be shown. */
function checked(
  { ref, notifyBlock, notifyAuth, sender }: MailView,
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
    text: [`Sender notice - from ${sanitiseLine(sender.address)}:`, ...splitLines(shown).map(quoted)].join(
      '\n',
    ),
  };
}

const quoted = (line: string): string => (line === '' ? '>' : `> ${sanitiseLine(line)}`);
