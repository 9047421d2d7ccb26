import type { Schema } from '../storage/store.js';
import { goingOnTables } from './going-on-table.js';
import { interruptTables } from './interrupt-table.js';

/** What turn-table.ts is about, and the tables beside it. */
export const turnSchema: Schema = {
  tables: `
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
CREATE TABLE IF NOT EXISTS turn_plans (
  turn_id TEXT PRIMARY KEY,
  session_json TEXT NOT NULL,
  time_limit_seconds REAL,
  stop_reason TEXT
);
CREATE TABLE IF NOT EXISTS pasted_prompts (
  turn_id TEXT PRIMARY KEY,
  pane_id TEXT NOT NULL,
  text TEXT NOT NULL,
  heard_until_json TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS turn_usage (
  turn_id TEXT PRIMARY KEY,
  usage_json TEXT NOT NULL
);
${goingOnTables}${interruptTables}`,
  indexes: `
CREATE INDEX IF NOT EXISTS turns_by_request ON turns (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS turns_by_outcome ON turns (outcome) WHERE outcome IS NOT NULL AND request_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS turns_running ON turns (state) WHERE state = 'running';
`,
};
