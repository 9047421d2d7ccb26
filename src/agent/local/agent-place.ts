import { existsSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { findProgram } from '../../foundation/programs.js';
import { turnEnvironment } from '../../run/turn-job.js';
import type { LaunchSettings, LaunchSettingsReader } from '../../session/launch-settings.js';
import { tmuxSocketOf } from '../../session/manifest-facts.js';
import type { Manifest } from '../../session/manifest-schema.js';
import { type SessionPaths, sessionVariables } from '../../session/session-paths.js';
import type { Tmux } from '../../terminal/tmux.js';
import { serverOf } from '../../terminal/tmux-servers.js';
import type { ToolName } from '../../tools/adapter/tool-adapter.js';
import { knownTool, toolAdapter } from '../../tools/tool-registry.js';
import { sessionTrouble } from '../target/agent-target.js';

/**
 * Finds the tmux server that has the session of an agent now.
 * @param usual the server that this program uses.
 * @returns null if none has it. @throws {TmuxFault} if that cannot be determined.
 */
export function findAgentTmux(manifest: Manifest, usual: Tmux): Promise<Tmux | null> {
  const socketPath = tmuxSocketOf(manifest);
  return serverOf(usual, manifest.tmux_session_name ?? '', socketPath === null ? null : { socketPath });
}

/** Returns the tmux server on which the session was made; the usual one if that is not recorded. */
export function recordedTmux(manifest: Manifest, usual: Tmux): Tmux {
  const socketPath = tmuxSocketOf(manifest);
  return socketPath === null ? usual : usual.at(socketPath);
}

/** Returns the tmux server that has the session, or had it. @throws {TmuxFault} if that cannot be determined. */
export const agentTmux = async (manifest: Manifest, usual: Tmux): Promise<Tmux> =>
  (await findAgentTmux(manifest, usual)) ?? recordedTmux(manifest, usual);

/** Returns the folder in which a tool keeps its files by default. @param home the user's home folder. */
export const usualToolHome = (tool: ToolName, home: string): string =>
  join(home, toolAdapter(tool).usualHome);

/**
 * Returns the environment of an agent's tool, in its turns and in its terminal. The variable of its home is set only for another
 * home than the default: Claude Code reads another `.claude.json` if the variable names the default than if it is not set.
 * @param launch the environment that the launch recorded.
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

/** The readiness of a headless agent by its files. */
export type HeadlessReadiness =
  | { readonly manifest: Manifest; readonly settings: LaunchSettings; readonly obstacle: null }
  /** `obstacle` says in one line without a path why it cannot run; `manifest` is null where it cannot be read. */
  | { readonly manifest: Manifest | null; readonly obstacle: string };

/**
 * Decides whether a headless agent can run a turn, by its files. Its tmux session is another question, and so is a missing
 * headless section, which fails the dispatch of a prompt ({@link noHeadlessSection}).
 */
export function headlessReadiness(read: () => Manifest, reader: LaunchSettingsReader): HeadlessReadiness {
  let manifest: Manifest | null = null;
  try {
    manifest = read();
    const settings = reader.read(manifest);
    const obstacle = missingPart(manifest, settings);
    return obstacle === null ? { manifest, settings, obstacle } : { manifest, obstacle };
  } catch (error) {
    return { manifest, obstacle: sessionTrouble(error) };
  }
}

export const noHeadlessSection = 'The session manifest has no headless section.';

function missingPart(manifest: Manifest, settings: LaunchSettings): string | null {
  const directory = manifest.working_directory;
  if (!existsSync(directory) || !statSync(directory).isDirectory())
    return 'The working directory of the agent does not exist.';
  const program = manifest.launch_plan.executable;
  return findProgram(program, settings.environment.PATH ?? '', directory)
    ? null
    : `The program ${basename(program)} was not found.`;
}
