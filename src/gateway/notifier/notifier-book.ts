import { createHash } from 'node:crypto';
import { type Axes, activityOf, admissionOf } from '../../dispatch/readiness.js';
import type { Journal } from '../../events/journal.js';
import type { MailHeading } from '../../mail/transport/mail-transport.js';
import type { Mirror } from '../../storage/group-commit.js';
import type { Statement, Store, TableSchema } from '../../storage/store.js';
import type { DegradedContext } from './context-plan.js';
import type { KnownMail } from './inbox.js';
import type { NoticeEntry } from './notifier-prompt.js';
import { firstSettings, type NotifierSettings } from './notifier-settings.js';

/** The mail notifier's tables, shared with other implementations, column for column. */
export const notifierSchema: TableSchema = {
  tables: `
CREATE TABLE IF NOT EXISTS gateway_mail_notifier (
  singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
  enabled INTEGER NOT NULL DEFAULT 0,
  interval_seconds INTEGER,
  mode TEXT NOT NULL DEFAULT 'any_inbox' CHECK (mode IN ('any_inbox', 'unread_only')),
  appendix_text TEXT NOT NULL DEFAULT '',
  context_error_policy TEXT NOT NULL DEFAULT 'continue_current'
    CHECK (context_error_policy IN ('continue_current', 'clear_context')),
  pre_notification_context_action TEXT NOT NULL DEFAULT 'none'
    CHECK (pre_notification_context_action IN ('none', 'compact')),
  last_poll_at_utc TEXT,
  last_notification_at_utc TEXT,
  last_notified_digest TEXT,
  compacted_eligible_message_refs_json TEXT NOT NULL DEFAULT '[]',
  last_error TEXT,
  notify_block_render TEXT NOT NULL DEFAULT 'enabled' CHECK (notify_block_render IN ('enabled', 'disabled')),
  notify_block_auth_mode TEXT NOT NULL DEFAULT 'permissive-log'
    CHECK (notify_block_auth_mode IN ('permissive-log', 'required')),
  notify_block_auth_verifier TEXT NOT NULL DEFAULT 'none'
    CHECK (notify_block_auth_verifier IN ('none', 'shared-token')),
  notify_block_shared_tokens_json TEXT NOT NULL DEFAULT '[]',
  notify_block_per_message_chars INTEGER NOT NULL DEFAULT 512,
  notify_block_total_chars INTEGER NOT NULL DEFAULT 2048,
  updated_at_utc TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS gateway_notifier_audit (
  audit_id INTEGER PRIMARY KEY AUTOINCREMENT,
  poll_time_utc TEXT NOT NULL,
  unread_count INTEGER,
  unread_digest TEXT,
  unread_summary_json TEXT NOT NULL DEFAULT '[]',
  request_admission TEXT,
  active_execution TEXT,
  queue_depth INTEGER,
  outcome TEXT NOT NULL CHECK (outcome IN ('empty', 'dedup_skip', 'busy_skip', 'enqueued',
    'pre_notification_context_error', 'context_recovery_error', 'poll_error')),
  enqueued_request_id TEXT,
  detail TEXT,
  context_error_policy TEXT NOT NULL DEFAULT 'continue_current',
  pre_notification_context_action TEXT NOT NULL DEFAULT 'none',
  context_action_outcome TEXT,
  degraded_tool_name TEXT,
  degraded_error_type TEXT,
  rendered_block_entries_json TEXT NOT NULL DEFAULT '[]'
);
`,
  columns: {
    gateway_mail_notifier: ['singleton', 'enabled', 'notify_block_total_chars', 'updated_at_utc'],
    gateway_notifier_audit: ['audit_id', 'poll_time_utc', 'outcome', 'rendered_block_entries_json'],
  },
};

/** The notifier as it is stored: its settings, and the results of its checks. */
export interface StoredNotifier {
  settings: NotifierSettings;
  lastPollAtUtc: string | null;
  lastNotificationAtUtc: string | null;
  lastError: string | null;
  /** The digest of the messages that the last check found; for the audit alone. */
  digest: string | null;
}

const firstNotifier: StoredNotifier = {
  settings: firstSettings,
  lastPollAtUtc: null,
  lastNotificationAtUtc: null,
  lastError: null,
  digest: null,
};

/** A row of the audit: one check of the inbox and its outcome. */
export interface NotifierAudit {
  pollTimeUtc: string;
  unreadCount: number | null;
  digest: string | null;
  summary: { message_ref: string; thread_ref: string | null; created_at_utc: string; subject: string }[];
  admission: string | null;
  activity: string | null;
  queueDepth: number | null;
  outcome:
    | 'empty'
    | 'busy_skip'
    | 'enqueued'
    | 'pre_notification_context_error'
    | 'context_recovery_error'
    | 'poll_error';
  requestId: string | null;
  detail: string | null;
  settings: NotifierSettings;
  contextOutcome: string | null;
  degraded: DegradedContext | null;
  notices: NoticeEntry[];
}

/** Returns a digest of the mail that a check found; null for none. */
const digestOf = (headings: readonly MailHeading[]): string | null =>
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

/** The new values of a row whose prompt was not delivered. */
export type AuditAmendment = Pick<NotifierAudit, 'outcome' | 'detail'>;

interface Row {
  enabled: number;
  interval_seconds: number | null;
  mode: NotifierSettings['mode'];
  appendix_text: string;
  context_error_policy: NotifierSettings['contextErrorPolicy'];
  pre_notification_context_action: NotifierSettings['preNotificationContextAction'];
  last_poll_at_utc: string | null;
  last_notification_at_utc: string | null;
  last_notified_digest: string | null;
  last_error: string | null;
  notify_block_render: NotifierSettings['notices']['render'];
  notify_block_auth_mode: NotifierSettings['notices']['authMode'];
  notify_block_auth_verifier: NotifierSettings['notices']['verifier'];
  notify_block_shared_tokens_json: string;
  notify_block_per_message_chars: number;
  notify_block_total_chars: number;
}

/** The tables `gateway_mail_notifier` and `gateway_notifier_audit`, one statement per method. */
export class NotifierTable {
  readonly #read: Statement<[], Row>;
  readonly #write: Statement<[Row & { updated_at_utc: string }]>;
  readonly #audit: Statement<[Record<string, string | number | null>]>;
  readonly #amend: Statement<[AuditAmendment & { requestId: string }]>;
  readonly #forget: Statement<[number, string]>;

  constructor(store: Store) {
    this.#read = store.prepare('SELECT * FROM gateway_mail_notifier WHERE singleton = 1');
    this.#write = store.prepare(`
INSERT INTO gateway_mail_notifier (
  singleton, enabled, interval_seconds, mode, appendix_text, context_error_policy, pre_notification_context_action,
  last_poll_at_utc, last_notification_at_utc, last_notified_digest, last_error, notify_block_render,
  notify_block_auth_mode, notify_block_auth_verifier, notify_block_shared_tokens_json, notify_block_per_message_chars,
  notify_block_total_chars, updated_at_utc)
VALUES (1, @enabled, @interval_seconds, @mode, @appendix_text, @context_error_policy, @pre_notification_context_action,
  @last_poll_at_utc, @last_notification_at_utc, @last_notified_digest, @last_error, @notify_block_render,
  @notify_block_auth_mode, @notify_block_auth_verifier, @notify_block_shared_tokens_json,
  @notify_block_per_message_chars, @notify_block_total_chars, @updated_at_utc)
ON CONFLICT (singleton) DO UPDATE SET
  enabled = excluded.enabled, interval_seconds = excluded.interval_seconds, mode = excluded.mode,
  appendix_text = excluded.appendix_text, context_error_policy = excluded.context_error_policy,
  pre_notification_context_action = excluded.pre_notification_context_action,
  last_poll_at_utc = excluded.last_poll_at_utc, last_notification_at_utc = excluded.last_notification_at_utc,
  last_notified_digest = excluded.last_notified_digest, last_error = excluded.last_error,
  notify_block_render = excluded.notify_block_render, notify_block_auth_mode = excluded.notify_block_auth_mode,
  notify_block_auth_verifier = excluded.notify_block_auth_verifier,
  notify_block_shared_tokens_json = excluded.notify_block_shared_tokens_json,
  notify_block_per_message_chars = excluded.notify_block_per_message_chars,
  notify_block_total_chars = excluded.notify_block_total_chars, updated_at_utc = excluded.updated_at_utc`);
    this.#audit = store.prepare(`
INSERT INTO gateway_notifier_audit (
  poll_time_utc, unread_count, unread_digest, unread_summary_json, request_admission, active_execution, queue_depth,
  outcome, enqueued_request_id, detail, context_error_policy, pre_notification_context_action, context_action_outcome,
  degraded_tool_name, degraded_error_type, rendered_block_entries_json)
VALUES (@pollTimeUtc, @unreadCount, @digest, @summary, @admission, @activity, @queueDepth, @outcome, @requestId, @detail,
  @policy, @action, @contextOutcome, @degradedTool, @degradedError, @notices)`);
    this.#amend = store.prepare(`
UPDATE gateway_notifier_audit SET outcome = @outcome, detail = @detail WHERE audit_id = (
  SELECT audit_id FROM gateway_notifier_audit WHERE enqueued_request_id = @requestId ORDER BY audit_id DESC LIMIT 1)`);
    // Only the oldest `most` rows are read, since the rows are in the order of time.
    this.#forget = store.prepare(`
DELETE FROM gateway_notifier_audit WHERE audit_id IN (
  SELECT audit_id FROM (SELECT audit_id, poll_time_utc FROM gateway_notifier_audit ORDER BY audit_id LIMIT ?)
  WHERE poll_time_utc < ?)`);
  }

  read(): StoredNotifier {
    const row = this.#read.get();
    return row ? notifierOf(row) : firstNotifier;
  }

  write(atUtc: string, { settings, ...state }: StoredNotifier): void {
    const { notices } = settings;
    this.#write.run({
      enabled: settings.enabled ? 1 : 0,
      interval_seconds: settings.intervalSeconds,
      mode: settings.mode,
      appendix_text: settings.appendixText,
      context_error_policy: settings.contextErrorPolicy,
      pre_notification_context_action: settings.preNotificationContextAction,
      last_poll_at_utc: state.lastPollAtUtc,
      last_notification_at_utc: state.lastNotificationAtUtc,
      last_notified_digest: state.digest,
      last_error: state.lastError,
      notify_block_render: notices.render,
      notify_block_auth_mode: notices.authMode,
      notify_block_auth_verifier: notices.verifier,
      notify_block_shared_tokens_json: JSON.stringify(notices.sharedTokens),
      notify_block_per_message_chars: notices.perMessageChars,
      notify_block_total_chars: notices.totalChars,
      updated_at_utc: atUtc,
    });
  }

  audit({ settings, summary, notices, degraded, ...row }: NotifierAudit): void {
    this.#audit.run({
      ...row,
      degradedTool: degraded?.tool ?? null,
      degradedError: degraded?.errorType ?? null,
      summary: JSON.stringify(summary),
      notices: JSON.stringify(notices),
      policy: settings.contextErrorPolicy,
      action: settings.preNotificationContextAction,
    });
  }

  /** Changes the row of the check that queued this prompt: it then says what became of the prompt. */
  amendAudit(requestId: string, amendment: AuditAmendment): void {
    this.#amend.run({ requestId, ...amendment });
  }

  /**
   * @returns how many rows were forgotten, `most` at most.
   * @param before a time in UTC.
   */
  forgetAudit(before: string, most: number): number {
    return this.#forget.run(most, before).changes;
  }
}

const notifierOf = (row: Row): StoredNotifier => ({
  settings: {
    enabled: row.enabled === 1,
    intervalSeconds: row.interval_seconds,
    mode: row.mode,
    appendixText: row.appendix_text,
    contextErrorPolicy: row.context_error_policy,
    preNotificationContextAction: row.pre_notification_context_action,
    notices: {
      render: row.notify_block_render,
      authMode: row.notify_block_auth_mode,
      verifier: row.notify_block_auth_verifier,
      sharedTokens: JSON.parse(row.notify_block_shared_tokens_json) as string[],
      perMessageChars: row.notify_block_per_message_chars,
      totalChars: row.notify_block_total_chars,
    },
  },
  lastPollAtUtc: row.last_poll_at_utc,
  lastNotificationAtUtc: row.last_notification_at_utc,
  lastError: row.last_error,
  digest: row.last_notified_digest,
});

/**
 * The notifier's row, mirrored in memory, and the mail that the agent was notified of, which is in memory only: a change
 * of both is undone as one. The row is changed only inside `Journal.write`.
 */
export class NotifierBook implements Mirror {
  readonly table: NotifierTable;
  #stored: StoredNotifier;
  #knownMail: KnownMail | null = null;

  constructor(table: NotifierTable, journal: Journal) {
    this.table = table;
    this.#stored = table.read();
    journal.keep(this);
  }

  get stored(): StoredNotifier {
    return this.#stored;
  }

  /** The mail that the agent was notified of; null when nothing of it is known yet. */
  get knownMail(): KnownMail | null {
    return this.#knownMail;
  }

  remember(mail: KnownMail): void {
    this.#knownMail = mail;
  }

  replace(atUtc: string, next: StoredNotifier): void {
    this.table.write(atUtc, next);
    this.#stored = next;
  }

  snapshot(): () => void {
    const [stored, knownMail] = [this.#stored, this.#knownMail];
    return () => {
      this.#stored = stored;
      this.#knownMail = knownMail;
    };
  }
}
