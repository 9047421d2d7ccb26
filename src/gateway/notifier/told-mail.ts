import type { MailHeading } from '../../mail/transport/mail-transport.js';

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
  ...{ mailbox, underWay: null },
  known: told ? new Set([...known, ...(underWay?.keys ?? [])]) : known,
});

/** Forgets mail that has left the inbox. @param headings everything in it. */
export function withoutGone(told: ToldMail, headings: readonly Known[]): ToldMail {
  const there = keysOf(headings);
  return { ...told, known: new Set([...told.known].filter((key) => there.has(key))) };
}
