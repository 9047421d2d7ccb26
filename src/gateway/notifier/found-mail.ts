import { createHash } from 'node:crypto';
import { type Axes, activityOf, admissionOf } from '../../dispatch/readiness.js';
import type { MailHeading, MailQuery, MailView } from '../../mail/transport/mail-transport.js';
import type { NotifierSettings } from './notifier-settings.js';
import type { NotifierAudit } from './notifier-table.js';

/** Which mail wakes the agent. */
export const queryOf = ({ mode }: NotifierSettings): MailQuery => ({
  ...{ box: 'inbox', read: mode === 'unread_only' ? false : null, answered: null, archived: false },
  ...{ limit: null, since: null },
});

export const oldestFirst = <Mail extends MailHeading | MailView>(mail: readonly Mail[]): Mail[] =>
  [...mail].sort((a, b) => order(a.createdAtUtc, b.createdAtUtc) || order(a.ref, b.ref));

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const refsOf = (headings: readonly MailHeading[]): ReadonlySet<string> =>
  new Set(headings.map(({ ref }) => ref));

/** Names the mail that a look found; null for none. */
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

/** The row of a look that found this mail, until more is known of what came of it. */
export const auditOf = (
  at: string,
  settings: NotifierSettings,
  headings: readonly MailHeading[],
  axes: Axes,
): NotifierAudit => ({
  ...{ pollTimeUtc: at, unreadCount: headings.length, digest: digestOf(headings) },
  summary: headings.map(({ ref, threadRef, createdAtUtc, subject }) => ({
    ...{ created_at_utc: createdAtUtc, message_ref: ref, subject, thread_ref: threadRef },
  })),
  ...{ admission: admissionOf(axes), activity: activityOf(axes), queueDepth: axes.queueDepth },
  ...{
    outcome: 'empty',
    requestId: null,
    detail: null,
    settings,
    contextOutcome: null,
    degraded: null,
    notices: [],
  },
});
