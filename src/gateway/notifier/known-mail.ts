import type { RequestRow } from '../../dispatch/queue/request-rows.js';
import type { MailHeading } from '../../mail/transport/mail-transport.js';
import type { TurnRow } from '../../turn/turn-table.js';

/** The mail in its inbox that an agent knows, as far as the notifier can determine it. Plain data; never changed in place. */
export interface KnownMail {
  /** The identity of the mailbox. */
  mailbox: string;
  /** The keys of mail that the agent was notified of, and of mail that was there when the notifier was switched on. */
  known: ReadonlySet<string>;
  /** The notice that is on its way to the agent, and the keys of its mail. */
  underWay: { requestId: string; keys: ReadonlySet<string> } | null;
}

type Known = Pick<MailHeading, 'key'>;

const keysOf = (headings: readonly Known[]): ReadonlySet<string> => new Set(headings.map(({ key }) => key));

/**
 * Returns this mail as known.
 * @param headings of all mail in the inbox.
 */
export const knownMailOf = (mailbox: string, headings: readonly Known[]): KnownMail => ({
  mailbox,
  known: keysOf(headings),
  underWay: null,
});

/** Decides whether the agent was not notified of this mail, and will not be by the notice that is on its way. */
export const isNewTo = ({ known, underWay }: KnownMail, key: string): boolean =>
  !known.has(key) && underWay?.keys.has(key) !== true;

export const noticeQueued = (mail: KnownMail, requestId: string, headings: readonly Known[]): KnownMail => ({
  ...mail,
  underWay: { requestId, keys: keysOf(headings) },
});

/** @param reached whether the agent counts as notified of the mail in the notice under way. */
export const noticeEnded = (
  { mailbox, known, underWay }: KnownMail,
  { reached }: { reached: boolean },
): KnownMail => ({
  mailbox,
  underWay: null,
  known: reached ? new Set([...known, ...(underWay?.keys ?? [])]) : known,
});

/**
 * Forgets mail that has left the inbox.
 * @param headings of all mail in it.
 */
export function withoutGone(mail: KnownMail, headings: readonly Known[]): KnownMail {
  const there = keysOf(headings);
  return { ...mail, known: new Set([...mail.known].filter((key) => there.has(key))) };
}

/**
 * The outcome of a notice of mail:
 * `notified`: the agent got it, or the outcome is unknown;
 * `withdrawn`: a caller cancelled it, and with it the wake for that mail;
 * `dropped`: it was not sent, and that was right: its mail was gone, or it was for an earlier instance of the agent;
 * `failed`: it should have been delivered and was not.
 */
type NoticeEnd = 'under_way' | 'notified' | 'withdrawn' | 'dropped' | 'failed';

/**
 * Decides the outcome of a notice. Pure.
 * @param request null where it is not kept any more.
 * @param turn null where none was begun.
 */
export function noticeEnd(
  request: Pick<RequestRow, 'state' | 'error_code'> | null,
  turn: Pick<TurnRow, 'delivery_state'> | null,
): NoticeEnd {
  if (request === null || turn?.delivery_state === 'confirmed') return 'notified';
  switch (request.state) {
    case 'accepted':
    case 'running':
      return 'under_way';
    case 'completed':
      return turn === null ? 'dropped' : 'notified';
    case 'failed':
      return turn === null || turn.delivery_state === 'failed' ? 'failed' : 'notified';
    case 'cancelled':
      return request.error_code === 'discarded' ? 'dropped' : 'withdrawn';
    case 'coalesced':
      return 'dropped';
  }
}
