import type { MailHeading } from '../../mail/transport/mail-transport.js';

/** What an agent knows of the mail in its inbox, as far as the notifier can tell. Plain data; never changed in place. */
export interface ToldMail {
  /** Which mailbox this is about. */
  mailbox: string;
  /** What it was told of, and what was there when the notifier was switched on. */
  known: ReadonlySet<string>;
  /** A prompt that is on its way to the agent, and the mail that it tells of. */
  underWay: { requestId: string; refs: ReadonlySet<string> } | null;
}

export const refsOf = (headings: readonly Pick<MailHeading, 'ref'>[]): ReadonlySet<string> =>
  new Set(headings.map(({ ref }) => ref));

/** What is in a mailbox counts as known. @param headings everything in its inbox. */
export const toldOfAll = (mailbox: string, headings: readonly Pick<MailHeading, 'ref'>[]): ToldMail => ({
  mailbox,
  known: refsOf(headings),
  underWay: null,
});

/** Whether the agent was told of none of that, and will not be by the prompt that is on its way. */
export const isNewTo = ({ known, underWay }: ToldMail, ref: string): boolean =>
  !known.has(ref) && underWay?.refs.has(ref) !== true;

export const noticeQueued = (
  told: ToldMail,
  requestId: string,
  headings: readonly Pick<MailHeading, 'ref'>[],
): ToldMail => ({ ...told, underWay: { requestId, refs: refsOf(headings) } });

/** @param told whether the agent counts as told of what the prompt under way tells of. */
export const noticeEnded = (
  { mailbox, known, underWay }: ToldMail,
  { told }: { told: boolean },
): ToldMail => ({
  ...{ mailbox, underWay: null },
  known: told ? new Set([...known, ...(underWay?.refs ?? [])]) : known,
});

/** Forgets mail that has left the inbox. @param headings everything in it. */
export function withoutGone(told: ToldMail, headings: readonly Pick<MailHeading, 'ref'>[]): ToldMail {
  const there = refsOf(headings);
  return { ...told, known: new Set([...told.known].filter((ref) => there.has(ref))) };
}
