import { headlessReadiness, noHeadlessSection } from '../../agent/local/agent-place.js';
import { type ChatDefaults, chatDefaultsOf } from '../../agent/target/chat-session.js';
import type { Clock } from '../../foundation/clock.js';
import { unlessUnusable } from '../../foundation/faults.js';
import { LaunchSettingsReader } from '../../session/launch-settings.js';
import { lacksHeadlessSection, turnHostOf } from '../../session/manifest-facts.js';
import type { Manifest } from '../../session/manifest-schema.js';
import { isFresh, readRecord } from '../../session/registry.js';
import type { RegistryRecord } from '../../session/registry-record.js';
import { sessionPaths } from '../../session/session-paths.js';
import { TmuxFault } from '../../terminal/tmux-fault.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import type { SessionManifests } from '../directory/session-manifests.js';
import type { GatewayForwarder } from '../forwarding/forwarder.js';
import type { Terminals } from '../terminals/terminals.js';
import { type AgentDetail, headlessDetail, headlessSummary, type RuntimeFacts } from './agent-detail.js';
import { type HistoryEntry, headlessHistory, terminalHistory } from './agent-history.js';
import {
  type AgentSummary,
  type Diagnostic,
  gatewayTrouble,
  type MailboxSummary,
  mailboxSummary,
  offlineGateway,
  type StoredStatus,
} from './agent-summary.js';
import { type GatewayView, storedStatus, viewGateway } from './gateway-view.js';
import type { SessionTurns, SessionTurnsReader } from './session-turns.js';
import { type TerminalReport, terminalChanges, terminalFacts } from './terminal-facts.js';
import { terminalSummary } from './terminal-summary.js';

export interface InspectionParts {
  readonly forwarder: Pick<GatewayForwarder, 'forward'>;
  readonly terminals: Pick<Terminals, 'seen' | 'hasSession'>;
  /** Returns null for an agent without a session root. */
  readonly turnsOf: (agent: ManagedAgent) => SessionTurnsReader | null;
  readonly manifests: SessionManifests;
  readonly registryRoot: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
}

/** The age up to which an observation of a terminal is used again, for callers that read it repeatedly. */
const freshMilliseconds = 1000;

/** The turns of a session that has no record of any. */
const noTurns: SessionTurns = { kind: 'known', running: null, newest: [], latestEnded: null };

/**
 * The state of agents: a live gateway is asked, otherwise this server observes the agent. It never rejects for what other
 * processes do to the files of a session; an unknown value is reported as unknown, with a diagnostic.
 */
export class AgentInspector {
  readonly #parts: InspectionParts;
  readonly #settings: LaunchSettingsReader;

  constructor(parts: InspectionParts) {
    this.#parts = parts;
    this.#settings = new LaunchSettingsReader(parts.environment);
  }

  async summary(agent: ManagedAgent): Promise<AgentSummary> {
    return (await this.detail(agent)).summary;
  }

  async detail(agent: ManagedAgent): Promise<AgentDetail> {
    const view = await viewGateway(this.#parts.forwarder, agent);
    const stored: StoredStatus =
      agent.sessionRoot === null ? { kind: 'absent' } : storedStatus(sessionPaths(agent.sessionRoot));
    const trouble = gatewayTrouble(view.reachability, stored);
    const common = {
      agent,
      mailbox: this.#mailbox(agent),
      gateway: view.status ?? (agent.sessionRoot === null ? null : offlineGateway(view.reachability, stored)),
    };
    return agent.transport === 'tui'
      ? this.#ofTerminal(common, view, trouble)
      : this.#ofHeadless(common, view, trouble);
  }

  /**
   * Reads the latest turns or changes.
   * @returns null where the turns cannot be read now.
   */
  async history(agent: ManagedAgent, limit: number): Promise<HistoryEntry[] | null> {
    if (agent.transport === 'headless') {
      const turns = this.#turns(agent, limit);
      return turns.kind === 'known' ? headlessHistory(turns) : null;
    }
    return terminalHistory(terminalChanges(await this.terminal(agent)), limit);
  }

  /** Reads the terminal of an agent that runs in one. */
  async terminal(agent: ManagedAgent): Promise<TerminalReport> {
    const result = await this.#parts.forwarder.forward(agent, 'getTuiState', {});
    if (result.kind === 'answered' && result.answer.kind === 'done')
      return { by: 'gateway', body: result.answer.body };
    return this.#observe(agent);
  }

  async #ofTerminal(
    common: Pick<AgentSummary, 'agent' | 'mailbox' | 'gateway'>,
    view: GatewayView,
    trouble: readonly Diagnostic[],
  ): Promise<AgentDetail> {
    const { agent } = common;
    const terminal: TerminalReport = view.terminal
      ? { by: 'gateway', body: view.terminal }
      : await this.#observe(agent);
    // A gateway that answers has observed everything itself.
    const turns = view.terminal ? noTurns : this.#turns(agent, 1);
    const facts = { agent, terminal: terminalFacts(terminal), turns, gatewayTrouble: trouble };
    return { summary: { ...common, ...terminalSummary(facts) }, detail: { transport: 'tui', terminal } };
  }

  async #ofHeadless(
    common: Pick<AgentSummary, 'agent' | 'mailbox' | 'gateway'>,
    view: GatewayView,
    trouble: readonly Diagnostic[],
  ): Promise<AgentDetail> {
    const { agent } = common;
    const { headless: gateway } = view;
    const look = await this.#runtime(agent);
    const runtime = gateway ? runtimeByGateway(look.runtime, gateway) : look.runtime;
    const turns = this.#turns(agent, 1);
    const gatewayTurnId = gateway?.active_turn_id ?? null;
    const summary = headlessSummary({ runtime, turns, gatewayTurnId, gatewayTrouble: trouble });
    const detail = headlessDetail({
      summary,
      turns,
      gateway,
      chat: look.chat,
      resumable: gateway?.runtime_resumable ?? runtime.obstacle === null,
      tmuxLive: gateway?.tmux_session_live ?? runtime.tmuxLive === true,
    });
    return { summary: { ...common, ...summary }, detail };
  }

  async #observe(agent: ManagedAgent): Promise<TerminalReport> {
    const terminal = this.#parts.terminals.seen(agent);
    const state = await terminal.seenWithin(freshMilliseconds);
    return { by: 'server', state, toolVersion: terminal.toolVersion };
  }

  #runtime(agent: ManagedAgent): Promise<RuntimeObservation> {
    const { manifests, terminals } = this.#parts;
    const path = manifestPathOf(agent) ?? '';
    return observeRuntime(
      () => manifests.read(path),
      this.#settings,
      (manifest) => terminals.hasSession(manifest),
    );
  }

  #turns(agent: ManagedAgent, limit: number): SessionTurns {
    return this.#parts.turnsOf(agent)?.read(limit) ?? noTurns;
  }

  #mailbox(agent: ManagedAgent): MailboxSummary | null {
    return mailboxSummary(this.#record(agent)?.mailbox, this.#manifest(agent)?.launch_plan.mailbox);
  }

  #manifest(agent: ManagedAgent): Manifest | null {
    const path = manifestPathOf(agent);
    return path === null ? null : unlessUnusable(() => this.#parts.manifests.read(path));
  }

  /** Reads the registry record of an agent. A record of another session with the same agent id says nothing about this one. */
  #record({ agentId, manifestPath }: ManagedAgent): RegistryRecord | null {
    if (agentId === null) return null;
    const { registryRoot, clock } = this.#parts;
    const record = unlessUnusable(() => readRecord(registryRoot, agentId));
    return record && isFresh(record, clock.now()) && record.runtime.manifest_path === manifestPath
      ? record
      : null;
  }
}

const manifestPathOf = ({ manifestPath, sessionRoot }: ManagedAgent): string | null =>
  manifestPath ?? (sessionRoot && sessionPaths(sessionRoot).manifest);

/** Returns the runtime as the gateway reports it, which counts more than what this server observes. */
const runtimeByGateway = (
  { tmuxSessionName }: RuntimeFacts,
  gateway: NonNullable<GatewayView['headless']>,
): RuntimeFacts => ({
  obstacle: gateway.runtime_resumable ? null : 'The gateway says that the agent cannot run a turn.',
  tmuxLive: gateway.tmux_session_live,
  tmuxSessionName,
  blocked: gateway.request_admission === 'blocked_reconciliation',
});

interface RuntimeObservation {
  readonly runtime: RuntimeFacts;
  /** The choice of the next conversation; null where the manifest cannot be read. */
  readonly chat: ChatDefaults | null;
}

/**
 * Checks whether a headless agent can run a turn. Never rejects for what another process does to its files.
 * @param read reads its manifest.
 * @param hasSession asks tmux for the session of an agent.
 */
async function observeRuntime(
  read: () => Manifest,
  settings: LaunchSettingsReader,
  hasSession: (manifest: Manifest) => Promise<boolean>,
): Promise<RuntimeObservation> {
  const { manifest, obstacle: missing } = headlessReadiness(read, settings);
  if (manifest === null)
    return {
      runtime: { tmuxLive: true, tmuxSessionName: null, blocked: false, obstacle: missing },
      chat: null,
    };
  const obstacle = lacksHeadlessSection(manifest) ? noHeadlessSection : missing;
  const tmuxSessionName = manifest.tmux_session_name ?? null;
  const inTmux = turnHostOf(manifest) === 'tmux';
  const tmuxLive = inTmux ? await isLive(manifest, hasSession) : true;
  return { runtime: { obstacle, tmuxLive, tmuxSessionName, blocked: false }, chat: chatDefaultsOf(manifest) };
}

async function isLive(
  manifest: Manifest,
  hasSession: (manifest: Manifest) => Promise<boolean>,
): Promise<boolean | null> {
  try {
    return await hasSession(manifest);
  } catch (error) {
    if (error instanceof TmuxFault) return null;
    throw error;
  }
}
