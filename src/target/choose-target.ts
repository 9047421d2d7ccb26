import type { Clock } from '../foundation/clock.js';
import type { Manifest } from '../session/manifest.js';
import type { SessionPaths } from '../session/session-paths.js';
import { adapterForBackend } from '../tools/tool-registry.js';
import type { AgentTarget } from './agent-target.js';
import { LocalHeadlessTarget } from './local-headless.js';
import { ManagedHeadlessTarget } from './remote/managed-headless-target.js';
import { managedAuthorityOf } from './remote/peer-authority.js';
import { RestTerminalTarget } from './remote/rest-terminal-target.js';
import { UnbuiltTarget } from './unbuilt-target.js';

/** What stands behind the gateway (gateway §2.7); `unsupported` has no prompt path at all. */
export type TargetKind =
  | 'local_headless'
  | 'managed_headless'
  | 'rest_terminal'
  | 'local_terminal'
  | 'unsupported';

/** Which of the seeds' adapters a manifest asks for. */
export function targetKindOf(manifest: Manifest): TargetKind {
  const { backend } = manifest;
  if (backend === 'local_interactive') return 'local_terminal';
  if (backend === 'cao_rest' || backend === 'houmao_server_rest') return 'rest_terminal';
  if (!adapterForBackend(backend)) return 'unsupported';
  const managed = managedAuthorityOf(manifest) && !manifest.runtime.agent_def_dir;
  return managed ? 'managed_headless' : 'local_headless';
}

export function chooseTarget(
  manifest: Manifest,
  paths: SessionPaths,
  clock: Clock,
  environment: NodeJS.ProcessEnv,
): AgentTarget {
  const kind = targetKindOf(manifest);
  const adapter = adapterForBackend(manifest.backend);
  if (kind === 'rest_terminal') return new RestTerminalTarget(paths, clock);
  if (kind === 'managed_headless' && adapter) return new ManagedHeadlessTarget(paths, adapter, clock);
  if (kind === 'local_headless' && adapter)
    return new LocalHeadlessTarget(paths, adapter, clock, environment);
  return new UnbuiltTarget(`Agents of backend ${manifest.backend} cannot be driven by this release.`);
}
