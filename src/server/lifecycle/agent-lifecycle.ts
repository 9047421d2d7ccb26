import type { AgentHost } from '../../launch/agent-host.js';
import type { AgentDirectory } from '../directory/agent-directory.js';
import type { ServerPaths } from '../directory/server-paths.js';
import { AgentGateways } from './agent-gateways.js';
import { AgentLaunches } from './agent-launches.js';
import { AgentLeases } from './agent-leases.js';
import { AgentStops } from './agent-stops.js';
import { OnePerAgent, type TurnHolder } from './handing-over.js';
import { Registrations } from './registrations.js';

export interface LifecycleParts {
  host: AgentHost;
  paths: ServerPaths;
  directory: AgentDirectory;
  holder: TurnHolder;
  /** The address at which this server is reached. */
  apiBaseUrl: string;
  /** Called with faults that are not shown to callers. */
  report(fault: string): void;
}

/** The parts that launch and register agents, attach and detach their gateways, stop them and renew their leases. */
export class AgentLifecycle {
  readonly launches: AgentLaunches;
  readonly registrations: Registrations;
  readonly gateways: AgentGateways;
  readonly stops: AgentStops;
  readonly leases: AgentLeases;

  constructor(parts: LifecycleParts) {
    const withAlone = { ...parts, report: parts.report.bind(parts), alone: new OnePerAgent() };
    this.launches = new AgentLaunches(withAlone);
    this.registrations = new Registrations(withAlone);
    this.gateways = new AgentGateways(withAlone);
    this.stops = new AgentStops(withAlone);
    this.leases = new AgentLeases(withAlone);
  }

  /** Settles launches that an earlier server left unfinished. Call it before any agent is launched. */
  start(): Promise<void> {
    return this.launches.start();
  }
}
