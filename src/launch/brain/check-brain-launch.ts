import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { belowHome } from '../../foundation/environment.js';
import { UnusableFile } from '../../foundation/faults.js';
import { newSessionId } from '../../foundation/ids.js';
import { findProgram } from '../../foundation/programs.js';
import { LaunchSettingsReader } from '../../session/launch-settings.js';
import { knownTool, toolAdapter, toolNames } from '../../tools/tool-registry.js';
import { refuseTaken } from '../agent-directory.js';
import type { AgentHost } from '../agent-host.js';
import { agentIdOf, agentNameRule, canonicalName, defaultAgentName, isAgentId } from '../agent-name.js';
import { checkArguments, checkReasoning } from '../check-launch.js';
import { LaunchRefused } from '../launch-fault.js';
import type { LaunchRequest } from '../launch-request.js';
import { BrainLaunchRefused, type BrainTrouble, type RequestedBrainLaunch } from './brain-launch.js';
import { requestedMailboxOf } from './brain-mailbox.js';
import { type BrainManifest, readBrainManifest } from './brain-manifest.js';

/** The maximum size of a brain manifest, which normally has some kilobytes. */
const largestBrain = 1024 * 1024;

/**
 * Checks the requested settings, in the order in which errors are reported: the three paths, the manifest, the role, the tool,
 * then the requirements of a start, last whether the agent exists already. The environment file comes before the executable,
 * which is looked up on the `PATH` that it sets. Changes nothing.
 * @param apiBaseUrl the address of the server that the agent will belong to.
 * @throws {BrainLaunchRefused} for the first rule that is broken.
 * @throws {LaunchRefused} `name_taken` if an agent with a fresh lease has the id.
 */
export function checkBrainLaunch(
  requested: RequestedBrainLaunch,
  apiBaseUrl: string,
  host: AgentHost,
): LaunchRequest {
  const workingDirectory = folderOf('working_directory', requested.workingDirectory, host);
  const agentDefinition = folderOf('agent_definition', requested.agentDefinition, host);
  const brainPath = brainFile(requested.brainPath, host);
  const brain = brainAt(brainPath);
  const role = roleOf(agentDefinition, requested.roleName);
  if (requested.tool !== brain.tool)
    throw refused({ code: 'tool_differs', asked: requested.tool, declared: brain.tool });
  const tool = knownTool(brain.tool);
  if (tool === null) throw refused({ code: 'tool_unknown', tool: brain.tool, known: toolNames });
  const adapter = toolAdapter(tool);
  const environment = environmentOf({ brainPath, agentDefinition, roleName: requested.roleName }, host);
  const executable = findProgram(brain.executable, environment.PATH ?? '', workingDirectory);
  const launchRule = (check: () => void): void => {
    try {
      check();
    } catch (error) {
      throw error instanceof LaunchRefused ? refused({ code: 'launch', trouble: error.trouble }) : error;
    }
  };
  if (!executable)
    throw refused({
      code: 'launch',
      trouble: { code: 'program_missing', program: brain.executable, isNamed: true },
    });
  launchRule(() => checkArguments(brain.arguments, adapter));
  launchRule(() => checkReasoning(brain, adapter, environment, host.runtimeRoot));
  const { name, agentId } = namesOf(requested, brain);
  const mailbox = requestedMailboxOf(requested.mailbox, brain.mailbox, host);
  refuseTaken(agentId, host);
  return {
    tool,
    name,
    role,
    roleName: requested.roleName,
    model: brain.model,
    reasoningLevel: brain.reasoningLevel,
    workingDirectory,
    homePath: brain.home.path,
    executable,
    environment,
    toolArguments: brain.arguments,
    unattended: brain.unattended,
    mailbox,
    tmux: true,
    terminal: false,
    hooks: false,
    skills: requested.skills ?? false,
    turnTimeLimitSeconds: null,
    startup: { kind: 'none' },
    managed: {
      agentId,
      apiBaseUrl,
      brainPath,
      agentDefinition,
      homeVariable: brain.home.variable,
      sessionId: newSessionId(adapter.backend, host.clock.now()),
      display: requested.display,
    },
  };
}

const refused = (trouble: BrainTrouble): BrainLaunchRefused => new BrainLaunchRefused(trouble);

function folderOf(
  code: 'working_directory' | 'agent_definition',
  given: string,
  { home }: AgentHost,
): string {
  const path = belowHome(given, home);
  if (!isAbsolute(path)) throw refused({ code, rule: 'absolute' });
  if (!statOf(path)?.isDirectory()) throw refused({ code, rule: 'folder' });
  return path;
}

function brainFile(given: string, { home }: AgentHost): string {
  const path = belowHome(given, home);
  if (!isAbsolute(path)) throw refused({ code: 'brain_file', rule: 'absolute' });
  const status = statOf(path);
  if (!status?.isFile()) throw refused({ code: 'brain_file', rule: 'file' });
  if (status.size > largestBrain) throw refused({ code: 'brain_file', rule: 'size' });
  return path;
}

/** Returns null also for a path that may not be accessed. */
function statOf(path: string) {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

function brainAt(path: string): BrainManifest {
  try {
    return readBrainManifest(path);
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    throw refused({ code: 'brain_manifest', reason: error.reason });
  }
}

function roleOf(agentDefinition: string, roleName: string): string {
  // A role is one folder: its name must not lead elsewhere.
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/.test(roleName)) throw refused({ code: 'role_name' });
  const path = join(agentDefinition, 'roles', roleName, 'system-prompt.md');
  try {
    accessSync(path, constants.R_OK);
    return readFileSync(path, 'utf8');
  } catch {
    throw refused({ code: 'role_missing' });
  }
}

/** Returns the environment of every turn, read in the same way as by its turns. */
function environmentOf(
  files: { brainPath: string; agentDefinition: string; roleName: string },
  { environment }: AgentHost,
): Readonly<Record<string, string>> {
  try {
    return new LaunchSettingsReader(environment).read({
      brain_manifest_path: files.brainPath,
      role_name: files.roleName,
      runtime: { agent_def_dir: files.agentDefinition },
    }).environment;
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    throw refused({ code: 'environment_file', reason: error.reason });
  }
}

function namesOf(requested: RequestedBrainLaunch, brain: BrainManifest): { name: string; agentId: string } {
  const given = requested.agentName ?? brain.agentName;
  const rule = given === null ? null : agentNameRule(given);
  if (rule !== null) throw refused({ code: 'agent_name', rule });
  const name = canonicalName(given ?? defaultAgentName(brain.tool, requested.roleName));
  if (requested.agentId !== null && !isAgentId(requested.agentId)) throw refused({ code: 'agent_id' });
  return { name, agentId: requested.agentId ?? agentIdOf(name) };
}
