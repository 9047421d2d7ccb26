import type { components } from '../../../generated/managed-agent/types.js';
import {
  type AgentStanding,
  askedOfPerson,
  type SeenScreen,
  type StandingFacts,
  standingOf,
} from '../../contract/agent-standing.js';
import { UnusableFile } from '../../foundation/faults.js';
import { storedError } from '../../run/record-error.js';
import type { TurnUsage } from '../../run/running-turn.js';
import { wireTerminal } from '../../terminal/terminal-wire.js';
import type { TurnRow } from '../../turn/turn-table.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import type { GatewayForwarder } from '../forwarding/forwarder.js';
import type { GatewayBody } from '../forwarding/gateway-calls.js';
import { RecordsUnreadable, type SessionRecords } from '../sessions/session-records.js';
import type { Sessions } from '../sessions/sessions.js';
import { type AgentDetail, waitsForReconciliation } from './agent-detail.js';
import type { AgentInspector } from './inspection.js';

type Wire = components['schemas'];
export type AgentOverview = Wire['AgentOverview'];

/** The part of an overview that stands in the records of a session. */
export interface RecordedWork {
  readonly queue: { readonly waiting: number; readonly paused: boolean };
  readonly running: AgentOverview['running'];
  readonly lastTurn: AgentOverview['last_turn'];
}

function recordedWork(records: SessionRecords): RecordedWork {
  const running = records.running();
  const last = records.latestEnded();
  return {
    queue: { waiting: records.waiting(), paused: records.isQueuePaused() },
    running: running && {
      turn_id: running.turn_id,
      request_id: running.request_id,
      origin: running.origin,
      started_at_utc: running.started_at_utc,
      prompt_preview: running.request_id && records.promptPreview(running.request_id),
    },
    lastTurn: last && lastTurnOf(last),
  };
}

const lastTurnOf = (row: TurnRow): NonNullable<AgentOverview['last_turn']> => ({
  turn_id: row.turn_id,
  outcome: row.outcome,
  ended_at_utc: row.ended_at_utc,
  answer_preview: row.answer_text,
  error: storedError(row.error_code, row.error_detail),
  usage: row.usage_json === null ? null : (JSON.parse(row.usage_json) as TurnUsage),
});

export interface AgentLookParts {
  readonly inspection: Pick<AgentInspector, 'detail'>;
  readonly forwarder: Pick<GatewayForwarder, 'forward'>;
  readonly sessions: Pick<Sessions, 'of'>;
}

/** Looks at an agent: its gateway is asked, or else it is observed by this server; its turns are those on record. */
export async function lookAtAgent(
  { inspection, forwarder, sessions }: AgentLookParts,
  agent: ManagedAgent,
): Promise<AgentOverview> {
  const held = sessions.of(agent);
  // A turn whose owner has died may have ended since: it is on record as running until another owner takes it over.
  await held?.settle().catch(unlessUnusable);
  const [seen, asked] = await Promise.all([
    inspection.detail(agent),
    forwarder.forward(agent, 'getQueue', {}),
  ]);
  const queue = asked.kind === 'answered' && asked.answer.kind === 'done' ? asked.answer.body : null;
  let recorded: RecordedWork | null = null;
  try {
    recorded = sessions.of(agent)?.read<RecordedWork | null>(recordedWork, null) ?? null;
  } catch (error) {
    unlessUnusable(error);
  }
  return agentOverview({ seen, recorded, queue });
}

/** Lets the faults of the files of one session pass: what they do not tell is shown as unknown. */
function unlessUnusable(error: unknown): void {
  if (!(error instanceof RecordsUnreadable || error instanceof UnusableFile)) throw error;
}

export interface OverviewFacts {
  readonly seen: AgentDetail;
  /** Null where the session has no records, or they cannot be read now. */
  readonly recorded: RecordedWork | null;
  /** The queue as the gateway reports it; null where it does not answer. */
  readonly queue: GatewayBody<'getQueue'> | null;
}

/** Pure: puts together what is known of an agent. */
export function agentOverview({ seen, recorded, queue }: OverviewFacts): AgentOverview {
  const { agent, gateway, availability, phase, diagnostics } = seen.summary;
  const hasGateway = gateway?.health === 'healthy';
  const screen = screenOf(seen);
  const state = standingOf({
    queueFault: queue?.fault != null,
    replaced: gateway?.admission === 'blocked_reconciliation',
    reachable: availability === 'available' && !(hasGateway && gateway.connectivity === 'unavailable'),
    screen,
    running:
      recorded?.running != null ||
      (hasGateway && gateway.execution === 'running') ||
      (agent.transport === 'headless' && phase === 'active'),
    readiness: readinessOf(seen, screen),
  });
  return {
    ...namesOf(agent),
    state,
    detail: queue?.fault?.detail ?? diagnostics[0]?.message ?? usualDetails[state] ?? null,
    question: screen && askedOfPerson(screen),
    has_gateway: hasGateway,
    queue: recorded?.queue ?? null,
    running: recorded?.running ?? null,
    last_turn: recorded?.lastTurn ?? null,
  };
}

/** Returns what is shown of an agent that was not seen. @param detail why, as a sentence. */
export const unseenAgent = (agent: ManagedAgent, detail: string): AgentOverview => ({
  ...namesOf(agent),
  state: 'unknown',
  detail,
  question: null,
  has_gateway: false,
  queue: null,
  running: null,
  last_turn: null,
});

const namesOf = (agent: ManagedAgent) => ({
  tracked_agent_id: agent.trackedAgentId,
  agent_name: agent.agentName,
  tool: agent.tool,
  transport: agent.transport,
  terminal_id: agent.terminalId,
});

/** The reasons of states for which nothing else was observed. */
const usualDetails: Partial<Readonly<Record<AgentStanding, string>>> = {
  replaced: waitsForReconciliation,
  tool_ended: 'Its tool does not run in its terminal any more.',
  unreachable: 'It cannot be reached now.',
};

/** The diagnostics of a gateway that is there, and that keeps this server from prompting its agent. */
const barred: ReadonlySet<string> = new Set(['gateway_unreachable', 'gateway_refuses']);

/** Decides whether a prompt would begin at once: a gateway knows; without one, what this server has seen counts. */
function readinessOf({ summary }: AgentDetail, screen: OverviewScreen | null): StandingFacts['readiness'] {
  const { gateway, phase, diagnostics } = summary;
  if (gateway?.health === 'healthy')
    return gateway.eligibility === 'not_ready' ? 'busy' : gateway.eligibility;
  if (diagnostics.some(({ kind }) => barred.has(kind))) return 'unknown';
  if (phase === 'active' || screen?.surface.editing_input === 'yes') return 'busy';
  return phase;
}

interface OverviewScreen extends SeenScreen {
  readonly surface: { readonly editing_input: string };
}

function screenOf({ summary, detail }: AgentDetail): OverviewScreen | null {
  if (detail.transport !== 'tui') return null;
  const { terminal } = detail;
  const seen = terminal.by === 'gateway' ? terminal.body : wireTerminal(terminal.state);
  return { ...seen, tracked_session: { session_root: summary.agent.sessionRoot } };
}

/** The places of the states in a list: those of which a person has to know first. */
const places: Readonly<Record<AgentStanding, number>> = {
  needs_person: 0,
  fault: 1,
  replaced: 1,
  tool_ended: 1,
  unreachable: 1,
  unknown: 1,
  working: 2,
  busy: 2,
  ready: 2,
};

/** Every word for a state. */
export const standings = Object.keys(places) as AgentStanding[];

/** Sorts agents as the overview lists them. */
export const byUrgency = (agents: readonly AgentOverview[]): AgentOverview[] =>
  [...agents].sort(
    (one, other) => places[one.state] - places[other.state] || compare(nameOf(one), nameOf(other)),
  );

const nameOf = ({ agent_name, tracked_agent_id }: AgentOverview): string =>
  `${agent_name ?? ''} ${tracked_agent_id}`;
const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
