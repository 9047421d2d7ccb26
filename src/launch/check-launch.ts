import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { usualToolHome } from '../agent/local/agent-place.js';
import { findProgram } from '../foundation/programs.js';
import { deniedPlace } from '../foundation/system-fault.js';
import { toEnvironmentFile } from '../session/launch-settings.js';
import type { ToolAdapter } from '../tools/adapter/tool-adapter.js';
import { toolAdapter } from '../tools/tool-registry.js';
import { refuseTakenName } from './agent-directory.js';
import type { AgentHost } from './agent-host.js';
import { isAgentName } from './agent-name.js';
import { LaunchRefused } from './launch-fault.js';
import type { LaunchRequest, RequestedLaunch } from './launch-request.js';

/** The variables that a program needs from its surroundings; the rest of the host's environment is not passed to the agent. */
const surroundings = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'IS_SANDBOX',
];

/** Checks the settings of a launch and fills in the rest; changes nothing. @throws {LaunchRefused} */
export function checkLaunch(requested: RequestedLaunch, host: AgentHost): LaunchRequest {
  const adapter = toolAdapter(requested.tool);
  const name = requested.name ?? requested.tool;
  if (!isAgentName(name)) throw new LaunchRefused({ code: 'invalid_name', name });
  const environment = recordedEnvironment(requested, adapter, host.environment);
  const program = requested.executable ?? adapter.executable;
  const executable = findProgram(program, environment.PATH ?? '', requested.workingDirectory);
  if (!executable)
    throw new LaunchRefused({ code: 'program_missing', program, isNamed: requested.executable !== null });
  checkReasoning(requested, adapter, environment, host.runtimeRoot);
  checkArguments(requested.toolArguments, adapter);
  checkTerminal(requested);
  checkHooks(requested, adapter, environment, host.runtimeRoot);
  const { workingDirectory } = requested;
  refuseDenied('working directory', workingDirectory, 'read');
  if (!existsSync(workingDirectory) || !statSync(workingDirectory).isDirectory())
    throw new LaunchRefused({ code: 'no_folder', path: workingDirectory });
  refuseTakenName(name, host);
  const homePath =
    requested.homePath ??
    environment[adapter.homeEnvVar] ??
    usualToolHome(requested.tool, environment.HOME ?? host.home);
  refuseDenied('home', homePath, 'make');
  const { variables: _, ...basics } = requested;
  return {
    ...basics,
    name,
    roleName: 'default',
    homePath,
    executable,
    environment,
  };
}

/** Refuses a folder to which access is denied: otherwise the error would name the program that is started there. */
function refuseDenied(folder: 'working directory' | 'home', path: string, use: 'read' | 'make'): void {
  const reason = deniedPlace(path, use);
  if (reason !== null) throw new LaunchRefused({ code: 'folder_denied', folder, path, reason });
}

function checkTerminal({ terminal, tmux }: RequestedLaunch): void {
  if (terminal && !tmux) throw new LaunchRefused({ code: 'terminal_without_tmux' });
}

function checkHooks(
  { hooks, terminal, toolArguments }: RequestedLaunch,
  adapter: ToolAdapter,
  environment: Readonly<Record<string, string>>,
  runtimeRoot: string,
): void {
  if (!hooks) return;
  if (!terminal) throw new LaunchRefused({ code: 'hooks_without_terminal' });
  const place = { folder: nearestFolder(runtimeRoot), environment };
  const reason = adapter.hookObstacle(place, toolArguments);
  if (reason !== null) throw new LaunchRefused({ code: 'hooks_refused', reason });
}

function recordedEnvironment(
  { variables, homePath }: RequestedLaunch,
  adapter: ToolAdapter,
  here: NodeJS.ProcessEnv,
): Record<string, string> {
  const environment: Record<string, string> = {};
  const home = homePath === null ? [adapter.homeEnvVar] : [];
  for (const name of [...surroundings, ...adapter.credentialEnvVars, ...home]) {
    const value = here[name];
    if (value !== undefined) environment[name] = value;
  }
  for (const { name, value: given } of variables) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new LaunchRefused({ code: 'invalid_variable', name });
    const value = given ?? here[name];
    if (value === undefined) throw new LaunchRefused({ code: 'variable_not_set', name });
    environment[name] = value;
  }
  try {
    toEnvironmentFile(environment);
  } catch (error) {
    throw new LaunchRefused({ code: 'unstorable_variable', detail: (error as Error).message });
  }
  return environment;
}

/** @throws {LaunchRefused} for a level that the tool does not have, or would not honour. */
export function checkReasoning(
  { reasoningLevel: level, model }: Pick<RequestedLaunch, 'reasoningLevel' | 'model'>,
  adapter: ToolAdapter,
  environment: Readonly<Record<string, string>>,
  runtimeRoot: string,
): void {
  if (level === null) return;
  const choice = adapter.reasoning(level, model);
  if (!choice.ok) throw new LaunchRefused({ code: 'reasoning_refused', level, reason: choice.reason });
  // The session's own folder does not exist yet; the folders above it matter as well.
  const reason = adapter.reasoningObstacle({ folder: nearestFolder(runtimeRoot), environment });
  if (reason !== null) throw new LaunchRefused({ code: 'reasoning_refused', level, reason });
}

const nearestFolder = (path: string): string => (existsSync(path) ? path : nearestFolder(dirname(path)));

/** @throws {LaunchRefused} for an argument that turns set themselves. */
export function checkArguments(toolArguments: readonly string[], adapter: ToolAdapter): void {
  const argument = toolArguments.find((one) => adapter.reservedArgs.includes(one.split('=')[0] ?? one));
  if (argument !== undefined) throw new LaunchRefused({ code: 'reserved_argument', argument });
}
