import { turnEnvironment } from '../../run/turn-environment.js';
import type { Manifest } from '../../session/manifest-schema.js';
import type { SessionPaths } from '../../session/session-paths.js';
import { sessionVariables } from '../../session/session-variables.js';

/**
 * What the tool of an agent gets, in its turns and in its terminal.
 * @param launch what the launch recorded.
 * @param tool the tool's own additions.
 */
export const agentEnvironment = (
  manifest: Manifest,
  paths: SessionPaths,
  launch: Readonly<Record<string, string>>,
  tool: Readonly<Record<string, string>>,
): Record<string, string> => {
  const { env_var, home_path } = manifest.launch_plan.home_selector;
  return turnEnvironment({ ...launch, ...sessionVariables(manifest, paths) }, tool, {
    ...{ variable: env_var, path: home_path },
  });
};
