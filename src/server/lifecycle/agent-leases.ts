import type { AgentHost } from '../../launch/agent-host.js';
import { readRecord, renewHourly, renewLease } from '../../session/registry.js';
import type { AgentDirectory } from '../directory/agent-directory.js';
import { readAuthority } from '../directory/agent-records.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import type { ServerPaths } from '../directory/server-paths.js';

export interface LeaseParts {
  host: Pick<AgentHost, 'registryRoot' | 'clock'>;
  paths: Pick<ServerPaths, 'managedAgents'>;
  directory: Pick<AgentDirectory, 'refresh' | 'list'>;
  /** Called with faults that are not shown to callers. */
  report(fault: string): void;
}

/**
 * The renewal of the registry records of agents that certainly live: terminals whose tmux session exists, and headless
 * agents that this server launched and that were not stopped. Without it they would be gone a day after their gateway.
 */
export class AgentLeases {
  readonly #parts: LeaseParts;
  #stop: () => void = () => undefined;

  constructor(parts: LeaseParts) {
    this.#parts = parts;
  }

  /** Call it after the first check of the directory. */
  start(): void {
    this.#stop = renewHourly(() => this.#renew(), this.#parts.host.clock);
  }

  close(): void {
    this.#stop();
  }

  async #renew(): Promise<void> {
    const { directory, report } = this.#parts;
    try {
      await directory.refresh();
      for (const agent of directory.list()) {
        this.#renewOne(agent);
        // A host may have a thousand agents, and no caller may have to wait for all of them.
        await new Promise((resolve) => setImmediate(resolve));
      }
    } catch (error) {
      report(`the registry leases were not renewed: ${(error as Error).message}`);
    }
  }

  #renewOne(agent: ManagedAgent): void {
    const { host, report } = this.#parts;
    const { agentId, trackedAgentId } = agent;
    try {
      if (agentId === null || !this.#surelyLives(agent)) return;
      const record = readRecord(host.registryRoot, agentId);
      // The record of that id may be another agent's by now.
      if (record === null || record.runtime.manifest_path !== agent.manifestPath) return;
      renewLease(host.registryRoot, agentId, record.generation_id, host.clock.now());
    } catch (error) {
      report(`${trackedAgentId}: its registry lease was not renewed: ${(error as Error).message}`);
    }
  }

  #surelyLives({ transport, trackedAgentId }: ManagedAgent): boolean {
    return transport === 'tui' || readAuthority(this.#parts.paths.managedAgents, trackedAgentId) !== null;
  }
}
