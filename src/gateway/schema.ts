/**
 * Tables of `queue.sqlite`. The first three are the seeds', column for column (gateway §2.1, §9.9); the rest is ours
 * (additions.md §5).
 */
export const seedTables = `
CREATE TABLE IF NOT EXISTS gateway_requests (
  request_id TEXT PRIMARY KEY,
  request_kind TEXT NOT NULL,
  payload_json TEXT NOT NULL,
  state TEXT NOT NULL,
  accepted_at_utc TEXT NOT NULL,
  started_at_utc TEXT,
  finished_at_utc TEXT,
  managed_agent_instance_epoch INTEGER NOT NULL,
  error_detail TEXT,
  result_json TEXT
);
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
`;

export const ownTables = `
CREATE INDEX IF NOT EXISTS gateway_requests_accepted ON gateway_requests (state) WHERE state = 'accepted';
CREATE INDEX IF NOT EXISTS gateway_requests_running ON gateway_requests (state) WHERE state = 'running';
CREATE INDEX IF NOT EXISTS gateway_requests_interrupts ON gateway_requests (state)
  WHERE state = 'accepted' AND request_kind = 'interrupt';
CREATE INDEX IF NOT EXISTS gateway_requests_rare ON gateway_requests (state)
  WHERE state IN ('failed', 'coalesced', 'cancelled');
CREATE INDEX IF NOT EXISTS gateway_requests_turn_ids ON gateway_requests (json_extract(payload_json, '$.turn_id'))
  WHERE state = 'accepted' AND json_extract(payload_json, '$.turn_id') IS NOT NULL;
CREATE TABLE IF NOT EXISTS request_errors (
  request_id TEXT PRIMARY KEY REFERENCES gateway_requests (request_id),
  code TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS idempotency (
  key TEXT PRIMARY KEY,
  body_digest TEXT NOT NULL,
  request_id TEXT NOT NULL,
  response_json TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS idempotency_by_request ON idempotency (request_id);
CREATE TABLE IF NOT EXISTS turns (
  turn_id TEXT PRIMARY KEY,
  origin TEXT NOT NULL CHECK (origin IN ('queue', 'direct', 'reminder', 'notifier')),
  request_id TEXT,
  tool TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'ended')),
  started_at_utc TEXT NOT NULL,
  ended_at_utc TEXT,
  delivery_state TEXT NOT NULL
    CHECK (delivery_state IN ('claimed', 'handed_over', 'confirmed', 'unconfirmed', 'failed')),
  delivery_at_utc TEXT NOT NULL,
  delivery_evidence TEXT,
  outcome TEXT CHECK (outcome IN ('completed', 'failed', 'interrupted', 'replaced')),
  provider_session_id TEXT,
  model TEXT,
  exit_code INTEGER,
  signal TEXT,
  error_code TEXT,
  error_detail TEXT,
  answer_text TEXT,
  answer_truncated INTEGER NOT NULL DEFAULT 0,
  processes_json TEXT NOT NULL DEFAULT '[]'
);
CREATE INDEX IF NOT EXISTS turns_by_request ON turns (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS turns_running ON turns (state) WHERE state = 'running';
CREATE TABLE IF NOT EXISTS events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at_utc TEXT NOT NULL,
  kind TEXT NOT NULL,
  subject_id TEXT,
  data_json TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS projections (
  name TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS epoch (
  singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
  epoch INTEGER NOT NULL,
  reconciled_epoch INTEGER NOT NULL,
  last_instance_id TEXT
);
CREATE TABLE IF NOT EXISTS queue_control (
  singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
  paused INTEGER NOT NULL CHECK (paused IN (0, 1))
);
`;

/** Columns an existing database must have, or it is not ours to use. */
export const requiredColumns: Readonly<Record<string, readonly string[]>> = {
  gateway_requests: [
    'request_id',
    'request_kind',
    'payload_json',
    'state',
    'accepted_at_utc',
    'started_at_utc',
    'finished_at_utc',
    'managed_agent_instance_epoch',
    'error_detail',
    'result_json',
  ],
  gateway_mail_notifier: ['singleton', 'enabled', 'notify_block_total_chars', 'updated_at_utc'],
  gateway_notifier_audit: ['audit_id', 'poll_time_utc', 'outcome', 'rendered_block_entries_json'],
};
