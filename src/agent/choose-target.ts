import type { StopOutcome } from '../run/running-turn.js';
import type { Manifest } from '../session/manifest-schema.js';
import type { SessionPaths } from '../session/session-paths.js';
import { adapterForBackend } from '../tools/tool-registry.js';
import { type AgentResources, LocalHeadlessTarget } from './local/local-headless.js';
import { LocalTerminalTarget, type TerminalOptions } from './local-terminal/local-terminal-target.js';
import { ManagedHeadlessTarget } from './remote/managed-headless-target.js';
import { managedAuthorityOf } from './remote/peer-authority.js';
import { RestTerminalTarget } from './remote/rest-terminal-target.js';
import {
  type AgentInspection,
  type AgentTarget,
  notConnected,
  type PromptRefusal,
} from './target/agent-target.js';

/** Returns the target for the kind of agent that a manifest describes. */
export function chooseTarget(
  manifest: Manifest,
  paths: SessionPaths,
  surroundings: AgentResources,
  terminal: TerminalOptions,
): AgentTarget {
  const { clock } = surroundings;
  const { backend } = manifest;
  if (backend === 'cao_rest' || backend === 'houmao_server_rest') return new RestTerminalTarget(paths, clock);
  if (backend === 'local_interactive')
    return new LocalTerminalTarget(manifest, paths, surroundings, terminal);
  const adapter = adapterForBackend(backend);
  if (!adapter) return new UnbuiltTarget(backend);
  // Without an agent definition on this machine, only the server that the manifest names can run the agent.
  return managedAuthorityOf(manifest) && !manifest.runtime.agent_def_dir
    ? new ManagedHeadlessTarget(paths, adapter, clock)
    : new LocalHeadlessTarget(paths, adapter, surroundings);
}

/** Stands in for an agent of a kind that this release cannot drive yet. It is never connected and takes no prompts. */
class UnbuiltTarget implements AgentTarget {
  readonly capabilities = { prompts: 'unbuilt', keys: 'none', screen: 'none' } as const;
  readonly remote = false;
  readonly interactive = false;
  readonly terminal = null;
  readonly #detail: string;

  constructor(backend: string) {
    this.#detail = `Agents of backend ${backend} cannot be driven by this release.`;
  }

  async inspect(): Promise<AgentInspection> {
    return notConnected(this.#detail);
  }
  resolve(): PromptRefusal {
    return { code: 'unavailable', detail: this.#detail };
  }
  check(): null {
    return null;
  }
  adopt(): null {
    return null;
  }
  async interrupt(): Promise<StopOutcome> {
    return { outcome: 'no_op' };
  }
  settle(): void {}
}
