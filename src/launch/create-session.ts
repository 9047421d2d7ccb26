import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { stringify } from 'yaml';
import { newSessionId, newUuid } from '../foundation/ids.js';
import { toSecondStamp } from '../foundation/timestamps.js';
import { toEnvironmentFile } from '../session/launch-environment.js';
import { type Manifest, writeManifest } from '../session/manifest.js';
import { writeOfflineState } from '../session/offline-state.js';
import { leaseMilliseconds, publishRecord, registryRoot } from '../session/registry.js';
import { type SessionPaths, sessionPaths } from '../session/session-paths.js';
import { killSession, newSession, setEnvironment } from '../terminal/tmux.js';
import { toolAdapter } from '../tools/tool-registry.js';
import { agentIdOf, canonicalName } from './agent-name.js';
import { LaunchFault } from './launch-fault.js';
import type { LaunchRequest } from './launch-request.js';

/** Where sessions live: `HOUMAO_GLOBAL_RUNTIME_DIR`, else `~/.houmao/runtime` (managed-agent §7.3). */
export function runtimeRoot(environment: NodeJS.ProcessEnv): string {
  const given = environment.HOUMAO_GLOBAL_RUNTIME_DIR;
  if (given === undefined) return join(homedir(), '.houmao', 'runtime');
  if (!isAbsolute(given))
    throw new LaunchFault(`HOUMAO_GLOBAL_RUNTIME_DIR must be an absolute path, got ${given}`);
  return given;
}

/**
 * Makes session root, brain manifest, environment file, role, manifest, tmux session and registry record, in that
 * order (managed-agent §6.1, §7). No agent process is started. When a later step fails the earlier ones are undone as
 * far as others could see them.
 * @throws Error that says what is in the way.
 */
export async function createSession(
  request: LaunchRequest,
  environment: NodeJS.ProcessEnv,
  now: Date,
): Promise<SessionPaths> {
  const { backend } = toolAdapter(request.tool);
  const sessionId = newSessionId(backend, now);
  const paths = sessionPaths(join(runtimeRoot(environment), 'sessions', backend, sessionId));
  mkdirSync(paths.root, { recursive: true, mode: 0o700 });
  mkdirSync(request.homePath, { recursive: true, mode: 0o700 });
  const agentDefinition = join(paths.root, 'agent-definition');
  writeRole(agentDefinition, request);
  const brainPath = writeBrain(paths, request);
  const manifest = manifestOf(request, { sessionId, agentDefinition, brainPath, now });
  writeManifest(paths.manifest, manifest);
  writeOfflineState(paths, manifest, sessionId);
  if (request.tmux) await openTmux(manifest, paths);
  try {
    publish(manifest, paths, registryRoot(environment), now);
  } catch (error) {
    if (request.tmux) await killSession(manifest.tmux_session_name ?? '').catch(() => undefined);
    throw error;
  }
  return paths;
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
  };
  writeFileSync(brainPath, stringify(brain), { mode: 0o600 });
  return brainPath;
}

function manifestOf(
  request: LaunchRequest,
  made: { sessionId: string; agentDefinition: string; brainPath: string; now: Date },
): Manifest {
  const adapter = toolAdapter(request.tool);
  const { backend } = adapter;
  const name = canonicalName(request.name);
  const tmuxName = `${name}-${made.now.getTime()}`;
  const generation = newUuid();
  const window = 'agent';
  const endpoint = {
    api_base_url: null,
    managed_agent_ref: null,
    terminal_id: null,
    profile_name: null,
    profile_path: null,
    parsing_mode: null,
    tmux_window_name: window,
  };
  const resume = {
    resume_selection_kind: request.startup.kind,
    resume_selection_value: request.startup.kind === 'exact' ? request.startup.id : null,
  };
  const headless = {
    session_id: null,
    turn_index: 0,
    role_bootstrap_applied: false,
    working_directory: request.workingDirectory,
    ...resume,
  };
  const provenance = {
    requested_operator_prompt_mode: request.unattended ? ('unattended' as const) : ('as_is' as const),
    detected_tool_version: null,
    selected_strategy_id: null,
    selection_source: null,
    override_env_var_name: null,
  };
  return {
    schema_version: 4,
    backend,
    tool: request.tool,
    role_name: request.roleName,
    created_at_utc: toSecondStamp(made.now),
    working_directory: request.workingDirectory,
    brain_manifest_path: made.brainPath,
    agent_name: name,
    agent_id: agentIdOf(name),
    tmux_session_name: tmuxName,
    registry_generation_id: generation,
    registry_launch_authority: 'runtime',
    runtime: {
      session_id: made.sessionId,
      agent_def_dir: made.agentDefinition,
      agent_pid: null,
      registry_generation_id: generation,
      registry_launch_authority: 'runtime',
    },
    tmux: {
      session_name: tmuxName,
      primary_window_index: '0',
      primary_window_role: 'managed_agent_surface',
      primary_window_name: window,
    },
    interactive: {
      turn_index: 0,
      working_directory: request.workingDirectory,
      role_bootstrap_applied: false,
      terminal_id: null,
      parsing_mode: null,
      tmux_window_name: window,
    },
    agent_launch_authority: {
      backend,
      tool: request.tool,
      tmux_session_name: tmuxName,
      primary_window_index: '0',
      working_directory: request.workingDirectory,
      session_id: made.sessionId,
      profile_name: null,
      profile_path: null,
      session_origin: null,
      posture_kind: 'runtime_launch_plan',
      launch_args: null,
      launch_env: null,
    },
    gateway_authority: { attach: endpoint, control: endpoint },
    launch_plan: {
      backend,
      tool: request.tool,
      executable: request.executable,
      args: [...(request.unattended ? adapter.unattendedArgs : []), ...request.toolArguments],
      working_directory: request.workingDirectory,
      home_selector: { env_var: adapter.homeEnvVar, home_path: request.homePath },
      env_var_names: Object.keys(request.environment).sort(),
      role_injection: { method: adapter.roleInjectionMethod, role_name: request.roleName },
      metadata: {
        headless_output_format: 'stream-json',
        headless_display_style: 'plain',
        headless_display_detail: 'concise',
      },
      mailbox: null,
      launch_policy_provenance: provenance,
    },
    launch_policy_provenance: provenance,
    backend_state: {
      ...headless,
      tmux_session_name: tmuxName,
      tmux_window_name: window,
      ...(request.tmux ? {} : { turn_host: 'process' }),
      ...(request.turnTimeLimitSeconds === null
        ? {}
        : { turn_time_limit_seconds: request.turnTimeLimitSeconds }),
    },
    headless,
    codex: null,
    local_interactive: null,
    cao: null,
    houmao_server: null,
  };
}

async function openTmux(manifest: Manifest, paths: SessionPaths): Promise<void> {
  const session = manifest.tmux_session_name ?? '';
  await newSession(session, manifest.working_directory);
  await setEnvironment(session, 'HOUMAO_MANIFEST_PATH', paths.manifest);
  await setEnvironment(session, 'HOUMAO_AGENT_ID', manifest.agent_id ?? '');
  await setEnvironment(session, 'HOUMAO_TOOL', manifest.tool);
}

function publish(manifest: Manifest, paths: SessionPaths, registry: string, now: Date): void {
  publishRecord(
    registry,
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
      mailbox: null,
    },
    now,
  );
}
