import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { newSessionId } from '../foundation/ids.js';
import { systemFaultOf } from '../foundation/system-fault.js';
import type { DeclaredMailbox } from '../session/declared-mailbox.js';
import { toEnvironmentFile } from '../session/launch-environment.js';
import { writeManifest } from '../session/manifest.js';
import type { Manifest } from '../session/manifest-schema.js';
import { writeOfflineState } from '../session/offline-state.js';
import { AlreadyRegistered, leaseMilliseconds, publishRecord } from '../session/registry.js';
import { type SessionPaths, sessionPaths } from '../session/session-paths.js';
import { sessionVariables } from '../session/session-variables.js';
import type { Tmux } from '../terminal/tmux.js';
import { askedVersion } from '../tools/asked-version.js';
import { toolAdapter } from '../tools/tool-registry.js';
import { refuseTaken } from './agent-directory.js';
import type { AgentHost } from './agent-host.js';
import { installMailSkills } from './install-skills.js';
import { LaunchFault, LaunchRefused } from './launch-fault.js';
import type { LaunchRequest, MailboxWish } from './launch-request.js';
import { backendOf, newManifest } from './new-manifest.js';
import { type MailBinding, mailboxRecord, openMailbox } from './open-mailbox.js';
import { startTerminal } from './start-terminal.js';

/**
 * Makes mailbox, session root, brain manifest, environment file, role, manifest, tmux session and registry record, in that
 * order. An agent in a terminal is started before it is registered, any other by its turns. When a step fails, what was made before it is taken away again.
 * @throws {LaunchRefused} when the name is taken, also by a launch that goes on at the same time.
 * @throws {LaunchFault} when the machine refuses something, such as room on its disk.
 * @throws {TmuxFault}
 */
export async function createSession(request: LaunchRequest, host: AgentHost): Promise<SessionPaths> {
  refuseTaken(request.name, host);
  if (request.terminal) await host.tmux.requireTerminals();
  const backend = backendOf(request);
  const now = host.clock.now();
  const version = request.terminal ? await askedVersion(request.executable, request.environment) : null;
  const sessionId = newSessionId(backend, now);
  const paths = sessionPaths(join(host.runtimeRoot, 'sessions', backend, sessionId));
  try {
    const mailbox = await mailboxOf(request, paths, host);
    if (mailbox !== null) installMailSkills(request.tool, request.homePath);
    const manifest = writeSession(request, paths, { sessionId, now, version, mailbox });
    const session = manifest.tmux_session_name ?? '';
    if (request.tmux) await openTmux(host.tmux, session, manifest, paths);
    try {
      if (request.terminal) await startTerminal(request, manifest, paths, host);
      publish(manifest, paths, host, now);
    } catch (error) {
      if (request.tmux) await host.tmux.killSession(session).catch(() => undefined);
      throw error;
    }
    return paths;
  } catch (error) {
    // Nobody knows of it yet, and what is in it was all written here.
    rmSync(paths.root, { recursive: true, force: true });
    throw toLaunchFault(error, paths);
  }
}

/** One that the agent had before is used again, with its mail; another owner's is left alone. */
async function mailboxOf(
  { mailbox, name, tool, roleName }: LaunchRequest,
  { manifest: manifestPath }: SessionPaths,
  { clock }: AgentHost,
): Promise<MailBinding | null> {
  if (mailbox === null) return null;
  const owner = { tool, role: roleName, identity: name, manifestPath, displayName: null };
  return (await openMailbox(mailbox, owner, 'safe', clock)).binding;
}

function toLaunchFault(error: unknown, paths: SessionPaths): unknown {
  if (error instanceof AlreadyRegistered)
    return new LaunchRefused({
      code: 'name_taken',
      name: error.holder.agent_name,
      manifestPath: error.holder.runtime.manifest_path,
    });
  const obstacle = systemFaultOf(error, paths.root);
  return obstacle === null ? error : new LaunchFault(obstacle, { cause: error });
}

function writeSession(
  request: LaunchRequest,
  paths: SessionPaths,
  made: { sessionId: string; now: Date; version: string | null; mailbox: MailBinding | null },
): Manifest {
  mkdirSync(paths.root, { recursive: true, mode: 0o700 });
  mkdirSync(request.homePath, { recursive: true, mode: 0o700 });
  const agentDefinition = join(paths.root, 'agent-definition');
  writeRole(agentDefinition, request);
  const brainPath = writeBrain(paths, request);
  const manifest = newManifest(request, { ...made, agentDefinition, brainPath });
  writeManifest(paths.manifest, manifest);
  writeOfflineState(paths, manifest, made.sessionId);
  return manifest;
}

function writeRole(agentDefinition: string, request: LaunchRequest): void {
  const folder = join(agentDefinition, 'roles', request.roleName);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'system-prompt.md'), request.role ?? '', { mode: 0o600 });
}

function writeBrain(paths: SessionPaths, request: LaunchRequest): string {
  const adapter = toolAdapter(request.tool);
  const environmentPath = join(paths.root, 'agent.env');
  writeFileSync(environmentPath, toEnvironmentFile(request.environment), { mode: 0o600 });
  const brainPath = join(paths.root, 'brain.yaml');
  const brain = {
    schema_version: 3,
    inputs: { tool: request.tool },
    runtime: {
      launch_executable: request.executable,
      launch_home_selector: { env_var: adapter.homeEnvVar, value: request.homePath },
      launch_contract: {
        model_selection: {
          resolved: {
            effective: {
              name: request.model,
              reasoning: request.reasoningLevel === null ? null : { level: request.reasoningLevel },
            },
          },
        },
      },
    },
    credentials: {
      env_contract: {
        source_file: environmentPath,
        allowlisted_env_vars: Object.keys(request.environment).sort(),
      },
    },
    launch_policy: { operator_prompt_mode: request.unattended ? 'unattended' : 'as_is' },
    ...(request.mailbox && { mailbox: declaredMailbox(request.mailbox) }),
  };
  writeFileSync(brainPath, stringify(brain), { mode: 0o600 });
  return brainPath;
}

const declaredMailbox = ({ root, address, principalId }: MailboxWish): DeclaredMailbox => ({
  ...{ transport: 'filesystem', filesystem_root: root },
  ...(address !== null && { address }),
  ...(principalId !== null && { principal_id: principalId }),
});

async function openTmux(tmux: Tmux, session: string, manifest: Manifest, paths: SessionPaths): Promise<void> {
  await tmux.newSession(session, manifest.working_directory, sessionVariables(manifest, paths));
}

function publish(manifest: Manifest, paths: SessionPaths, { registryRoot }: AgentHost, now: Date): void {
  publishRecord(
    registryRoot,
    {
      schema_version: 2,
      agent_name: manifest.agent_name ?? '',
      agent_id: manifest.agent_id ?? '',
      generation_id: manifest.registry_generation_id ?? '',
      published_at: now.toISOString(),
      lease_expires_at: new Date(now.getTime() + leaseMilliseconds).toISOString(),
      identity: { backend: manifest.backend, tool: manifest.tool },
      runtime: {
        manifest_path: paths.manifest,
        session_root: paths.root,
        agent_def_dir: manifest.runtime.agent_def_dir ?? null,
      },
      terminal: { kind: 'tmux', session_name: manifest.tmux_session_name ?? '' },
      gateway: null,
      mailbox: mailboxRecord(manifest.launch_plan.mailbox ?? null),
    },
    now,
  );
}
