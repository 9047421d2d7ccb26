import { createHash } from 'node:crypto';
import { type Axes, activityOf, admissionOf } from '../../dispatch/readiness.js';
import type { MailHeading, MailQuery } from '../../mail/transport/mail-transport.js';
import type { NotifierAudit } from './notifier-book.js';
import type { NotifierSettings } from './notifier-settings.js';

/** Returns the query for the mail that wakes the agent. */
export const queryOf = ({ mode }: Pick<NotifierSettings, 'mode'>): MailQuery => ({
  box: 'inbox',
  read: mode === 'unread_only' ? false : null,
  answered: null,
  archived: false,
  limit: null,
  since: null,
});

export const oldestFirst = (mail: readonly MailHeading[]): MailHeading[] =>
  [...mail].sort((a, b) => order(a.createdAtUtc, b.createdAtUtc) || order(a.ref, b.ref));

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Returns a digest of the mail that a check found; null for none. */
export const digestOf = (headings: readonly MailHeading[]): string | null =>
  headings.length === 0
    ? null
    : createHash('sha256')
        .update(
          headings
            .map(({ ref }) => ref)
            .sort()
            .join('\n'),
        )
        .digest('hex');

/** The number of newest messages of a large inbox that the audit names; count and digest are of all. */
const mostNamed = 50;

/** Returns the audit row of a check that found this mail, oldest first, for the time before its outcome is known. */
export const auditOf = (
  at: string,
  settings: NotifierSettings,
  headings: readonly MailHeading[],
  axes: Axes,
): NotifierAudit => ({
  pollTimeUtc: at,
  unreadCount: headings.length,
  digest: digestOf(headings),
  summary: headings.slice(-mostNamed).map(({ ref, threadRef, createdAtUtc, subject }) => ({
    created_at_utc: createdAtUtc,
    message_ref: ref,
    subject,
    thread_ref: threadRef,
  })),
  admission: admissionOf(axes),
  activity: activityOf(axes),
  queueDepth: axes.queueDepth,
  outcome: 'empty',
  requestId: null,
  detail: null,
  settings,
  contextOutcome: null,
  degraded: null,
  notices: [],
});

/**
 * Removes the names of its mail from a row that queued nothing, where the row before has the same mail: mail that waits
 * for long would fill the disk with its subjects.
 * @param before the digest of the row before.
 */
export const withoutRepeats = (row: NotifierAudit, before: string | null): NotifierAudit =>
  row.digest === before ? { ...row, summary: [] } : row;
