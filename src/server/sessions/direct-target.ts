import { chooseTarget } from '../../agent/choose-target.js';
import { type AgentResources, LocalHeadlessTarget } from '../../agent/local/local-headless.js';
import type { AgentTarget } from '../../agent/target/agent-target.js';
import { UnusableFile } from '../../foundation/faults.js';
import type { Manifest } from '../../session/manifest-schema.js';
import type { SessionPaths } from '../../session/session-paths.js';
import { trackerTimings } from '../../terminal/tracker/tracker-timings.js';
import { adapterForBackend } from '../../tools/tool-registry.js';
import type { ManagedAgent } from '../directory/managed-agent.js';
import type { DirectTerminals } from '../terminals/direct-terminal.js';
import { runnerOf, type ServerOrigins } from './server-managed.js';

export interface DirectTargetParts {
  surroundings: AgentResources;
  terminals: DirectTerminals;
  /** The origins of this server. */
  own: ServerOrigins;
  report: (fault: string) => void;
}

/**
 * Returns the target for turns that this server runs itself. A headless agent is run here even where its manifest names a
 * server: that is this one.
 * @throws {UnusableFile} when the agent's terminal is not known.
 */
export function directTarget(
  { surroundings, terminals, own, report }: DirectTargetParts,
  agent: ManagedAgent,
  manifest: Manifest,
  paths: SessionPaths,
): AgentTarget {
  const adapter = adapterForBackend(manifest.backend);
  if (adapter && runnerOf(manifest, own) !== 'another_server')
    return new LocalHeadlessTarget(paths, adapter, surroundings);
  if (manifest.backend !== 'local_interactive')
    return chooseTarget(manifest, paths, surroundings, {
      timings: trackerTimings(),
      changed: () => undefined,
      report,
    });
  const terminal = terminals.of(agent);
  if (!terminal) throw new UnusableFile(paths.manifest, 'the terminal of the agent is not known');
  return terminal.target;
}
