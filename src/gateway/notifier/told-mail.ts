import type { RequestRow } from '../../dispatch/queue/request-rows.js';
import type { MailHeading } from '../../mail/transport/mail-transport.js';
import type { TurnRow } from '../../turn/turn-table.js';

/** What an agent knows of the mail in its inbox, as far as the notifier can tell. Plain data; never changed in place. */
export interface ToldMail {
  /** Which mailbox this is about. */
  mailbox: string;
  /** What it was told of, and what was there when the notifier was switched on, by the keys of their headings. */
  known: ReadonlySet<string>;
  /** A prompt that is on its way to the agent, and the mail that it tells of. */
  underWay: { requestId: string; keys: ReadonlySet<string> } | null;
}

type Known = Pick<MailHeading, 'key'>;

const keysOf = (headings: readonly Known[]): ReadonlySet<string> => new Set(headings.map(({ key }) => key));

/** That counts as known. @param headings of what is in the inbox. */
export const toldOfAll = (mailbox: string, headings: readonly Known[]): ToldMail => ({
  mailbox,
  known: keysOf(headings),
  underWay: null,
});

/** Whether the agent was told of none of that, and will not be by the prompt that is on its way. */
export const isNewTo = ({ known, underWay }: ToldMail, key: string): boolean =>
  !known.has(key) && underWay?.keys.has(key) !== true;

export const noticeQueued = (told: ToldMail, requestId: string, headings: readonly Known[]): ToldMail => ({
  ...told,
  underWay: { requestId, keys: keysOf(headings) },
});

/** @param told whether the agent counts as told of what the prompt under way tells of. */
export const noticeEnded = (
  { mailbox, known, underWay }: ToldMail,
  { told }: { told: boolean },
): ToldMail => ({
  mailbox,
  underWay: null,
  known: told ? new Set([...known, ...(underWay?.keys ?? [])]) : known,
});

/** Forgets mail that has left the inbox. @param headings everything in it. */
export function withoutGone(told: ToldMail, headings: readonly Known[]): ToldMail {
  const there = keysOf(headings);
  return { ...told, known: new Set([...told.known].filter((key) => there.has(key))) };
}

/**
 * What came of a prompt that tells of mail:
 * `told`: the agent got it, or nobody can say that it did not;
 * `withdrawn`: somebody cancelled it, and with it the wake for that mail;
 * `dropped`: it went nowhere, and that was right: its mail was gone, or it was for an earlier instance of the agent;
 * `failed`: it should have gone out and did not.
 */
type NoticeEnd = 'under_way' | 'told' | 'withdrawn' | 'dropped' | 'failed';

/** Pure. @param request null where it is not kept any more. @param turn null where none was begun. */
export function noticeEnd(
  request: Pick<RequestRow, 'state' | 'error_code'> | null,
  turn: Pick<TurnRow, 'delivery_state'> | null,
): NoticeEnd {
  if (request === null || turn?.delivery_state === 'confirmed') return 'told';
  switch (request.state) {
    case 'accepted':
    case 'running':
      return 'under_way';
    case 'completed':
      return turn === null ? 'dropped' : 'told';
    case 'failed':
      return turn === null || turn.delivery_state === 'failed' ? 'failed' : 'told';
    case 'cancelled':
      return request.error_code === 'discarded' ? 'dropped' : 'withdrawn';
    case 'coalesced':
      return 'dropped';
  }
}
