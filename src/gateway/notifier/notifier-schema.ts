import type { Schema } from '../../storage/store.js';

/** The mail notifier's tables, shared with other implementations, column for column. */
export const notifierSchema: Schema = {
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
