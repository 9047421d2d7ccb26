import { toSecondStamp } from '../foundation/clock.js';
import { newUuid } from '../foundation/ids.js';
import { unknownVersion, usualDisplay } from '../session/manifest-facts.js';
import type { Backend, MailBinding, Manifest } from '../session/manifest-schema.js';
import { toolAdapter } from '../tools/tool-registry.js';
import { agentIdOf, canonicalName } from './agent-name.js';
import type { LaunchRequest } from './launch-request.js';

/** Returns the backend of an agent that is launched. */
export const backendOf = ({ terminal, tool }: Pick<LaunchRequest, 'terminal' | 'tool'>): Backend =>
  terminal ? 'local_interactive' : toolAdapter(tool).backend;

/** Builds the manifest of a session that is being made: no turn has run, and no conversation is pinned. */
export function newManifest(
  request: LaunchRequest,
  made: {
    sessionId: string;
    agentDefinition: string;
    brainPath: string;
    now: Date;
    version: string | null;
    mailbox: MailBinding | null;
  },
): Manifest {
  const adapter = toolAdapter(request.tool);
  const backend = backendOf(request);
  const name = canonicalName(request.name);
  const tmuxName = `${name}-${made.now.getTime()}`;
  const display = request.managed?.display ?? usualDisplay;
  const generation = newUuid();
  const window = 'agent';
  const authority = request.managed ? 'external' : 'runtime';
  const endpoint = {
    api_base_url: request.managed?.apiBaseUrl ?? null,
    managed_agent_ref: request.managed?.sessionId ?? null,
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
  const promptMode = request.unattended ? 'unattended' : 'as_is';
  const provenance = {
    requested_operator_prompt_mode: promptMode,
    detected_tool_version: made.version ?? unknownVersion,
    selected_strategy_id: `houmao-gateway-${request.tool}-${promptMode}`,
    selection_source: 'registry',
    override_env_var_name: null,
  } as const;
  // A conversation that is continued already has its role.
  const roleApplied = request.terminal && request.startup.kind !== 'none';
  return {
    schema_version: 4,
    backend,
    tool: request.tool,
    role_name: request.roleName,
    created_at_utc: toSecondStamp(made.now),
    working_directory: request.workingDirectory,
    brain_manifest_path: made.brainPath,
    agent_name: name,
    agent_id: request.managed?.agentId ?? agentIdOf(name),
    tmux_session_name: tmuxName,
    registry_generation_id: generation,
    registry_launch_authority: authority,
    runtime: {
      session_id: made.sessionId,
      agent_def_dir: made.agentDefinition,
      agent_pid: null,
      registry_generation_id: generation,
      registry_launch_authority: authority,
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
      role_bootstrap_applied: roleApplied,
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
      home_selector: {
        env_var: request.managed?.homeVariable ?? adapter.homeEnvVar,
        home_path: request.homePath,
      },
      env_var_names: Object.keys(request.environment).sort(),
      role_injection: { method: adapter.roleInjectionMethod, role_name: request.roleName },
      metadata: {
        headless_output_format: 'stream-json',
        headless_display_style: display.style,
        headless_display_detail: display.detail,
      },
      mailbox: made.mailbox,
      launch_policy_provenance: provenance,
    },
    launch_policy_provenance: provenance,
    backend_state: {
      ...headless,
      tmux_session_name: tmuxName,
      tmux_window_name: window,
      ...(request.tmux ? {} : { turn_host: 'process' }),
      ...(request.hooks ? { hooks: true } : {}),
      ...(request.turnTimeLimitSeconds === null
        ? {}
        : { turn_time_limit_seconds: request.turnTimeLimitSeconds }),
    },
    headless: request.terminal ? null : headless,
    codex: null,
    local_interactive: request.terminal
      ? { turn_index: 0, role_bootstrap_applied: roleApplied, working_directory: request.workingDirectory }
      : null,
    cao: null,
    houmao_server: null,
  };
}
