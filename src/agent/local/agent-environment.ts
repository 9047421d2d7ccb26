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
 * What the tool of an agent gets, in its turns and in its terminal. A tool that is told its usual home looks elsewhere than
 * one that is told nothing: Claude Code then reads another `.claude.json`. So the variable is set for any other home only.
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
