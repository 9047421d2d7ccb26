import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isAgentName } from '../launch/agent-name.js';
import { runtimeRoot } from '../launch/create-session.js';
import { findProgram } from '../launch/find-program.js';
import type { LaunchRequest } from '../launch/launch-request.js';
import { toEnvironmentFile } from '../session/launch-environment.js';
import type { ToolAdapter } from '../tools/tool-adapter.js';
import type { ToolName } from '../tools/tool-name.js';
import { toolAdapter } from '../tools/tool-registry.js';
import { CommandFailure } from './terminal-output.js';

export interface LaunchFlags {
  tool: ToolName;
  headless?: boolean;
  name?: string;
  role?: string;
  roleFile?: string;
  model?: string;
  reasoning?: number;
  workdir: string;
  home?: string;
  executable?: string;
  env: string[];
  envFile?: string;
  unattended?: boolean;
  turnTimeLimit?: number;
  tmux: boolean;
  continue?: boolean;
  resume?: string;
}

/** Where a tool keeps its home when nobody says otherwise. */
const usualHomes: Readonly<Record<ToolName, string>> = { claude: '.claude', codex: '.codex', gemini: '' };
/** What a program needs of its surroundings; the rest of the operator's environment stays out of the agent's. */
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

/** Checks the flags of `agents launch` and fills in the rest. @throws {CommandFailure} */
export function toLaunchRequest(
  flags: LaunchFlags,
  toolArguments: readonly string[],
  environment: NodeJS.ProcessEnv,
): LaunchRequest {
  const adapter = toolAdapter(flags.tool);
  if (!flags.headless)
    throw new CommandFailure('Only headless agents can be launched by this release; add --headless.');
  const name = flags.name ?? flags.tool;
  if (!isAgentName(name))
    throw new CommandFailure(
      `--name ${name}: letters, digits, - and _ only, at most 64, beginning with a letter or digit.`,
    );
  const recorded = recordedEnvironment(flags, adapter, environment);
  const program = flags.executable ?? adapter.executable;
  const executable = findProgram(program, recorded.PATH ?? '');
  if (!executable)
    throw new CommandFailure(
      `The program ${program} was not found; install it or name it with --executable.`,
    );
  checkModel(flags, adapter, recorded, runtimeRoot(environment));
  checkArguments(toolArguments, adapter);
  return {
    tool: flags.tool,
    name,
    role: flags.role ?? (flags.roleFile === undefined ? null : readText('--role-file', flags.roleFile)),
    roleName: 'default',
    model: flags.model ?? null,
    reasoningLevel: flags.reasoning ?? null,
    workingDirectory: requireFolder(flags.workdir),
    homePath: resolve(
      flags.home ?? environment[adapter.homeEnvVar] ?? join(homedir(), usualHomes[flags.tool]),
    ),
    executable,
    environment: recorded,
    toolArguments,
    unattended: flags.unattended ?? false,
    tmux: flags.tmux,
    turnTimeLimitSeconds: flags.turnTimeLimit ?? null,
    startup:
      flags.resume !== undefined
        ? { kind: 'exact', id: flags.resume }
        : { kind: flags.continue ? 'last' : 'none' },
  };
}

function recordedEnvironment(
  flags: LaunchFlags,
  adapter: ToolAdapter,
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  const recorded: Record<string, string> = {};
  for (const name of [...surroundings, ...adapter.credentialEnvVars]) {
    const value = environment[name];
    if (value !== undefined) recorded[name] = value;
  }
  const lines = flags.envFile === undefined ? [] : readText('--env-file', flags.envFile).split('\n');
  const given = [
    ...lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#')),
    ...flags.env,
  ];
  for (const entry of given) {
    const at = entry.indexOf('=');
    const name = at === -1 ? entry : entry.slice(0, at);
    const value = at === -1 ? environment[name] : entry.slice(at + 1);
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw new CommandFailure(`--env ${name}: not a name of a variable.`);
    if (value === undefined)
      throw new CommandFailure(`--env ${name}: it is not set here; write --env ${name}=VALUE.`);
    recorded[name] = value;
  }
  try {
    toEnvironmentFile(recorded);
  } catch (error) {
    throw new CommandFailure((error as Error).message);
  }
  return recorded;
}

function checkModel(
  flags: LaunchFlags,
  adapter: ToolAdapter,
  recorded: Readonly<Record<string, string>>,
  runtime: string,
): void {
  if (flags.reasoning === undefined) return;
  const choice = adapter.reasoning(flags.reasoning, flags.model ?? null);
  if (!choice.ok) throw new CommandFailure(`--reasoning ${flags.reasoning}: ${choice.reason}`);
  // The session's own folder is not there yet; what stands above it decides as well.
  const folder = nearestFolder(runtime);
  const obstacle = adapter.reasoningObstacle({ folder, environment: recorded });
  if (obstacle !== null) throw new CommandFailure(`--reasoning ${flags.reasoning}: ${obstacle}`);
}

const nearestFolder = (path: string): string => (existsSync(path) ? path : nearestFolder(dirname(path)));

function checkArguments(toolArguments: readonly string[], adapter: ToolAdapter): void {
  const reserved = toolArguments.find((argument) =>
    adapter.reservedArgs.includes(argument.split('=')[0] ?? argument),
  );
  if (reserved !== undefined)
    throw new CommandFailure(
      `The argument ${reserved} is set by each turn itself; it cannot be given to a launch.`,
    );
}

function requireFolder(path: string): string {
  const absolute = resolve(path);
  if (!existsSync(absolute) || !statSync(absolute).isDirectory())
    throw new CommandFailure(`--workdir ${absolute} is not a folder.`);
  return absolute;
}

function readText(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandFailure(`${flag} ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
