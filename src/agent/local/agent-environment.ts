import { join, resolve } from 'node:path';
import { turnEnvironment } from '../../run/turn-environment.js';
import type { Manifest } from '../../session/manifest-schema.js';
import type { SessionPaths } from '../../session/session-paths.js';
import { sessionVariables } from '../../session/session-variables.js';
import type { ToolName } from '../../tools/adapter/tool-name.js';
import { knownTool, toolAdapter } from '../../tools/tool-registry.js';

/** The folder where a tool keeps its files for a user who says nothing else. @param home the user's home folder. */
export const usualToolHome = (tool: ToolName, home: string): string =>
  join(home, toolAdapter(tool).usualHome);

/**
 * The environment of an agent's tool, in its turns and in its terminal. The variable of its home is set only for another home than
 * its usual one: Claude Code that is given its usual one reads another `.claude.json` than without the variable.
 * @param launch what the launch recorded.
 * @param tool the tool's own additions.
 */
export function agentEnvironment(
  manifest: Manifest,
  paths: SessionPaths,
  launch: Readonly<Record<string, string>>,
  tool: Readonly<Record<string, string>>,
): Record<string, string> {
  const { env_var, home_path } = manifest.launch_plan.home_selector;
  const known = knownTool(manifest.tool);
  const usual = known !== null && launch.HOME ? usualToolHome(known, launch.HOME) : null;
  const home = resolve(home_path) === usual ? null : { variable: env_var, path: home_path };
  return turnEnvironment({ ...launch, ...sessionVariables(manifest, paths) }, tool, home);
}
