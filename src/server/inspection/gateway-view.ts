import { readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { GatewayPresence } from '../../launch/live-gateway.js';
import { listenHosts } from '../../session/current-instance.js';
import { Choice, Nullable } from '../../session/file-schema.js';
import { type SessionPaths, sessionPaths } from '../../session/session-paths.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import type { ForwardResult, GatewayForwarder } from '../forwarding/forwarder.js';
import type { GatewayBody } from '../forwarding/gateway-calls.js';
import {
  type GatewayReachability,
  type GatewaySummary,
  gatewayReachability,
  type StoredStatus,
} from './agent-summary.js';

/** The state of an agent as its gateway reports it. */
export interface GatewayView {
  readonly reachability: GatewayReachability;
  /** Null, like the fields below, unless it answers. */
  readonly status: GatewaySummary | null;
  /** Null for agents of the other transport, and for those whose gateway reports nothing of it. */
  readonly headless: GatewayBody<'getHeadlessState'> | null;
  readonly terminal: GatewayBody<'getTuiState'> | null;
}

const unseen = (reachability: GatewayReachability): GatewayView => ({
  reachability,
  status: null,
  headless: null,
  terminal: null,
});

/** Asks a gateway for its status and for its agent, both at once. Never rejects for a fault of the gateway. */
export async function viewGateway(
  passing: Pick<GatewayForwarder, 'forward'>,
  agent: ManagedAgent,
): Promise<GatewayView> {
  const { sessionRoot } = agent;
  if (sessionRoot === null) return unseen('absent');
  const isTerminal = agent.transport === 'tui';
  const [status, terminal, headless] = await Promise.all([
    passing.forward(agent, 'getStatus', {}),
    isTerminal ? passing.forward(agent, 'getTuiState', {}) : null,
    isTerminal ? null : passing.forward(agent, 'getHeadlessState', {}),
  ]);
  const reported = bodyOf(status);
  const reachability = gatewayReachability({
    answers: [status, terminal, headless].flatMap((one) => (one ? [statusOf(one)] : [])),
    processLives: new GatewayPresence(sessionPaths(sessionRoot)).isPresent,
  });
  if (reachability !== 'answers' || !reported) return unseen(reachability);
  return {
    reachability,
    status: fromStatus(reported),
    headless: headless && bodyOf(headless),
    terminal: terminal && bodyOf(terminal),
  };
}

/** Returns null where no answer came. */
function statusOf(result: ForwardResult): number | null {
  if (result.kind !== 'answered') return null;
  return result.answer.kind === 'done' ? 200 : result.answer.status;
}

const bodyOf = <Body>(result: ForwardResult<Body>): Body | null =>
  result.kind === 'answered' && result.answer.kind === 'done' ? result.answer.body : null;

/** The part of `gateway/state.json` that is reported; a gateway of a later release may write more. */
const StatusSchema = Type.Object({
  gateway_health: Choice('healthy', 'not_attached'),
  managed_agent_connectivity: Choice('connected', 'unavailable'),
  managed_agent_recovery: Choice('idle', 'awaiting_rebind', 'reconciliation_required'),
  request_admission: Choice('open', 'blocked_unavailable', 'blocked_reconciliation'),
  active_execution: Choice('idle', 'running'),
  terminal_surface_eligibility: Type.Optional(Choice('ready', 'not_ready', 'unknown')),
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

/** Converts a status to its short form, as it is stored or as a gateway answers it. */
const fromStatus = (written: WrittenStatus) => ({
  health: written.gateway_health,
  connectivity: written.managed_agent_connectivity,
  recovery: written.managed_agent_recovery,
  admission: written.request_admission,
  execution: written.active_execution,
  eligibility: written.terminal_surface_eligibility ?? 'unknown',
  queueDepth: written.queue_depth,
  host: written.gateway_host ?? null,
  port: written.gateway_port ?? null,
});
