import type { Manifest } from '../session/manifest-schema.js';
import type { SessionPaths } from '../session/session-paths.js';
import { adapterForBackend } from '../tools/tool-registry.js';
import { LocalHeadlessTarget, type Surroundings } from './local/local-headless.js';
import { LocalTerminalTarget, type TerminalOptions } from './local-terminal/local-terminal-target.js';
import { ManagedHeadlessTarget } from './remote/managed-headless-target.js';
import { managedAuthorityOf } from './remote/peer-authority.js';
import { RestTerminalTarget } from './remote/rest-terminal-target.js';
import type { AgentTarget } from './target/agent-target.js';
import { UnbuiltTarget } from './target/unbuilt-target.js';

/** The target for the kind of agent that a manifest describes. */
export function chooseTarget(
  manifest: Manifest,
  paths: SessionPaths,
  surroundings: Surroundings,
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
