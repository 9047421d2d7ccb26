import type { Clock } from '../foundation/clock.js';
import type { Manifest } from '../session/manifest.js';
import type { SessionPaths } from '../session/session-paths.js';
import { adapterForBackend } from '../tools/tool-registry.js';
import type { AgentTarget } from './agent-target.js';
import { LocalHeadlessTarget } from './local-headless.js';
import { UnbuiltTarget } from './unbuilt-target.js';

/** What stands behind the gateway: turns of our own, a terminal, or another server (gateway §2.7). */
export type TargetKind = 'local_headless' | 'terminal' | 'remote';

/** Which of the seeds' adapters a manifest asks for. */
export function targetKindOf(manifest: Manifest): TargetKind {
  if (manifest.backend === 'local_interactive') return 'terminal';
  if (!adapterForBackend(manifest.backend)) return 'remote';
  const control = manifest.gateway_authority?.control;
  const managed =
    Boolean(control?.api_base_url && control.managed_agent_ref) && !manifest.runtime.agent_def_dir;
  return managed ? 'remote' : 'local_headless';
}

export function chooseTarget(
  manifest: Manifest,
  paths: SessionPaths,
  clock: Clock,
  environment: NodeJS.ProcessEnv,
): AgentTarget {
  const adapter = adapterForBackend(manifest.backend);
  const kind = targetKindOf(manifest);
  if (kind === 'local_headless' && adapter)
    return new LocalHeadlessTarget(paths, adapter, clock, environment);
  const surface = adapter ? 'headless' : 'tui';
  return new UnbuiltTarget(
    surface,
    `Agents of backend ${manifest.backend} (${kind}) cannot be driven by this release.`,
  );
}
