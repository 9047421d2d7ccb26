import { readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { Choice, Nullable } from '../../session/file-schema.js';
import { listenHosts } from '../../session/gateway-place.js';
import type { SessionPaths } from '../../session/session-paths.js';
import type { StoredStatus } from './gateway-summary.js';

/** Of `gateway/state.json` only what is told of; a gateway of a later release may write more. */
const StatusSchema = Type.Object({
  gateway_health: Choice('healthy', 'not_attached'),
  managed_agent_connectivity: Choice('connected', 'unavailable'),
  managed_agent_recovery: Choice('idle', 'awaiting_rebind', 'reconciliation_required'),
  request_admission: Choice('open', 'blocked_unavailable', 'blocked_reconciliation'),
  active_execution: Choice('idle', 'running'),
  queue_depth: Type.Integer({ minimum: 0 }),
  gateway_host: Type.Optional(Nullable(Choice(...listenHosts))),
  gateway_port: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 65535 }))),
});
type WrittenStatus = Static<typeof StatusSchema>;

/** Reads the status that the last gateway of a session left. Never throws. */
export function storedStatus({ state }: Pick<SessionPaths, 'state'>): StoredStatus {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(state, 'utf8'));
  } catch (error) {
    return { kind: (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'absent' : 'unreadable' };
  }
  return Value.Check(StatusSchema, value)
    ? { kind: 'read', status: fromStatus(value) }
    : { kind: 'unreadable' };
}

/** What a status says in short, as it is stored or as a gateway answers it. */
export const fromStatus = (written: WrittenStatus) => ({
  health: written.gateway_health,
  connectivity: written.managed_agent_connectivity,
  recovery: written.managed_agent_recovery,
  admission: written.request_admission,
  execution: written.active_execution,
  queueDepth: written.queue_depth,
  host: written.gateway_host ?? null,
  port: written.gateway_port ?? null,
});
