import type { Fleet } from '../fleet/fleet.js';
import type { HttpConnections } from '../foundation/http-exchange.js';
import type { AgentHost } from '../launch/agent-host.js';
import { realPathOf } from '../mail/filesystem/root/mail-paths.js';
import { type GivenTimings, trackerTimings } from '../terminal/tracker/tracker-timings.js';
import { AgentDirectory } from './directory/agent-directory.js';
import type { ManagedAgent } from './directory/managed-agents.js';
import type { ServerInstance } from './directory/server-instance.js';
import type { ServerPaths } from './directory/server-paths.js';
import { SessionManifests } from './directory/session-manifests.js';
import { HostEventFeed } from './events/host-event-feed.js';
import { GatewayForwarder, LiveGateways } from './forwarding/forwarder.js';
import { GatewayCalls, gatewayConnections } from './forwarding/gateway-calls.js';
import { lookAtAgent } from './inspection/agent-overview.js';
import { HostOverview } from './inspection/host-overview.js';
import { AgentInspector } from './inspection/inspection.js';
import { ServerMetrics } from './inspection/server-metrics.js';
import { AgentLifecycle } from './lifecycle/agent-lifecycle.js';
import { SessionTurnHolder } from './lifecycle/handing-over.js';
import { Notifications } from './notifications/notifications.js';
import { Sessions } from './sessions/sessions.js';
import { directTarget, serverOrigins } from './sessions/turn-runner.js';
import { Terminals } from './terminals/terminals.js';
import { AgentTurns } from './turns/agent-turns.js';
import { GatewayTurns } from './turns/gateway-turns.js';
import { TurnReader, turnsOnRecord } from './turns/turn-reader.js';

export interface ServerParts {
  readonly paths: ServerPaths;
  readonly host: AgentHost;
  readonly instance: ServerInstance;
  /** Host names by which others may call it, besides those of every host. */
  readonly names: readonly string[];
  /** The timings with which terminals are watched, as far as the command line gives them. */
  readonly timings: GivenTimings;
  /** Returns the `traceparent` of the call under way, which calls to gateways pass on; left out, none has one. */
  traceParent?(): string | null;
  /** This host in its fleet; null without one. */
  readonly fleet: Fleet | null;
  /** Whether webhooks may go to addresses that are not public. */
  readonly allowsPrivateWebhooks: boolean;
  /** Ends the program as a signal would. */
  stop(): void;
  /** Called with internal faults. */
  report(fault: string): void;
}

/** Answers as if no agent had a gateway. */
const forwardsNothing: Pick<GatewayForwarder, 'forward'> = { forward: async () => ({ kind: 'no_gateway' }) };

/** One server over all agents of a host: every part of it, made once and closed once. */
export class ManagedAgentServer {
  readonly parts: ServerParts;
  readonly directory: AgentDirectory;
  readonly lifecycle: AgentLifecycle;
  readonly gatewayCalls: GatewayCalls;
  readonly liveGateways: LiveGateways;
  readonly forwarder: GatewayForwarder;
  readonly manifests = new SessionManifests();
  readonly #connections: HttpConnections;
  readonly terminals: Terminals;
  readonly inspection: AgentInspector;
  /** The inspection for calls of gateways: it calls none. */
  readonly directInspection: AgentInspector;
  readonly sessions: Sessions;
  readonly turns: AgentTurns;
  readonly turnReader: TurnReader;
  readonly hostEvents: HostEventFeed;
  readonly overview: HostOverview;
  readonly metrics: ServerMetrics;
  readonly notifications: Notifications;

  constructor(parts: ServerParts) {
    this.parts = parts;
    const { paths, host } = parts;
    const { registryRoot, tmux, clock, environment } = host;
    this.directory = new AgentDirectory({
      paths,
      registryRoot,
      tmux,
      clock,
      hostName: parts.fleet?.host ?? null,
      report: (fault) => parts.report(fault),
    });
    this.#connections = gatewayConnections(host.environment.HOUMAO_GATEWAY_RESPECT_PROXY_ENV === '1');
    this.gatewayCalls = new GatewayCalls(this.#connections, () => parts.traceParent?.() ?? null);
    this.liveGateways = new LiveGateways(this.gatewayCalls);
    this.forwarder = new GatewayForwarder(this.gatewayCalls, this.liveGateways);
    this.terminals = new Terminals({
      tmux,
      environment,
      clock,
      timings: trackerTimings(parts.timings),
      report: (fault) => parts.report(fault),
    });
    const ways = {
      surroundings: { clock, environment, tmux },
      terminals: this.terminals,
      own: serverOrigins(parts.instance.apiBaseUrl, parts.names),
      report: (fault: string) => parts.report(fault),
    };
    this.sessions = new Sessions({
      targetOf: (agent, manifest, paths) => directTarget(ways, agent, manifest, paths),
      own: ways.own,
      clock,
      print: ways.report,
    });
    const gateways = new GatewayTurns(this.forwarder);
    this.turns = new AgentTurns({ sessions: this.sessions, gateways, clock });
    this.lifecycle = new AgentLifecycle({
      host,
      paths,
      directory: this.directory,
      holder: new SessionTurnHolder(this.sessions, clock),
      apiBaseUrl: parts.instance.apiBaseUrl,
      report: ways.report,
    });
    this.turnReader = new TurnReader({ sessions: this.sessions, gateways, clock });
    const { directory, forwarder, manifests, terminals, sessions } = this;
    this.hostEvents = new HostEventFeed({ directory, forwarder, sessions, clock, report: ways.report });
    this.notifications = new Notifications({
      path: paths.notifications,
      feed: this.hostEvents,
      clock,
      baseUrl: parts.instance.apiBaseUrl,
      environment,
      home: host.home,
      allowsPrivate: parts.allowsPrivateWebhooks,
      limits: { webhookMilliseconds: 15_000, programMilliseconds: 60_000 },
      random: Math.random,
      report: ways.report,
    });
    const looks = {
      manifests,
      terminals,
      registryRoot,
      environment,
      clock,
      turnsOf: (agent: ManagedAgent) => {
        const held = sessions.of(agent);
        return held && turnsOnRecord(held);
      },
    };
    this.inspection = new AgentInspector({ ...looks, forwarder });
    this.directInspection = new AgentInspector({ ...looks, forwarder: forwardsNothing });
    const { inspection, hostEvents: events } = this;
    const look = (agent: ManagedAgent) => lookAtAgent({ inspection, forwarder, sessions }, agent);
    this.overview = new HostOverview({ directory, events, look, clock, report: ways.report });
    this.metrics = new ServerMetrics(this.overview);
  }

  /** Reads which agents there are, and begins to work. */
  async start(): Promise<void> {
    await this.lifecycle.start();
    await this.directory.start();
    const watchAll = (): void => this.terminals.keep(this.directory.list());
    this.directory.follow(watchAll);
    watchAll();
    this.sessions.start(this.directory.list());
    this.lifecycle.leases.start();
    this.notifications.start();
  }

  /** Returns the folders in which agents of this host have their mailboxes, each once. */
  mailFolders(): string[] {
    const folders = this.directory.list().flatMap(({ manifestPath }) => {
      try {
        const mailbox = manifestPath && this.manifests.read(manifestPath).launch_plan.mailbox;
        return mailbox && mailbox.transport === 'filesystem' ? [realPathOf(mailbox.filesystem_root)] : [];
      } catch {
        // The agent's own calls say what is wrong with its files.
        return [];
      }
    });
    return [...new Set(folders)];
  }

  /** Releases everything; agents, turns and gateways go on. Call this when no request reads any more. */
  async close(): Promise<void> {
    this.lifecycle.leases.close();
    await this.overview.close();
    await this.notifications.close();
    this.hostEvents.close();
    this.directory.close();
    await this.sessions.close();
    await this.terminals.close();
    await this.#connections.close();
  }
}
