import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openDatabase } from '../../src/foundation/open-database.js';
import { standinProgram } from './test-session.js';

/** Two lines of releases of the older implementation: each writes some fields that the other one does not know. */
export type OlderRelease = 'with jobs' | 'with memory';

/** Of the window of every agent. */
export const windowName = 'agent';
const at = '2026-05-02T09:20:41+00:00';

/** The facts of a session in its files. */
export interface OlderFacts {
  /** As the files have it. */
  readonly agentName: string;
  readonly backend: 'claude_headless' | 'local_interactive';
  readonly release: OlderRelease;
  readonly root: string;
  readonly sessionId: string;
  readonly session: string;
  readonly conversation: string | null;
  readonly workingDirectory: string;
  readonly home: string;
  readonly definition: string;
  readonly brain: string;
  readonly agentId: string;
  readonly generation: string;
  /** Of its pane in tmux. */
  readonly ids: { readonly window: string; readonly pane: string };
}

/** Writes manifest, registry record and the folder of a gateway that was stopped. */
export function writeOlderFiles(registryRoot: string, facts: OlderFacts) {
  writeSorted(join(facts.root, 'manifest.json'), manifestOf(facts));
  const recordPath = join(registryRoot, 'live_agents', facts.agentId, 'record.json');
  writeSorted(recordPath, recordOf(facts));
  return { recordPath, waiting: writeGateway(join(facts.root, 'gateway'), facts) };
}

/** In the form of the older implementation: two spaces, keys in the order of the alphabet, a line break at the end. */
function writeSorted(path: string, content: object): void {
  const sorted = (_key: string, part: unknown): unknown =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(content, sorted, 2)}\n`);
}

function manifestOf(facts: OlderFacts) {
  const { backend, sessionId, session, workingDirectory, generation, release, ids } = facts;
  const isTerminal = backend === 'local_interactive';
  const withMemory = release === 'with memory';
  const turns = isTerminal ? 0 : 1;
  const jobs = join(workingDirectory, '.houmao', 'jobs', sessionId);
  const memory = join(workingDirectory, '.houmao', 'memory', facts.agentId);
  const endpoint = {
    api_base_url: null,
    managed_agent_ref: null,
    terminal_id: null,
    profile_name: null,
    profile_path: null,
    parsing_mode: null,
    tmux_window_name: windowName,
  };
  const applied = {
    turn_index: turns,
    role_bootstrap_applied: false,
    working_directory: workingDirectory,
  };
  const selection = { resume_selection_kind: 'none', resume_selection_value: null };
  const conversation = { session_id: facts.conversation, ...applied, ...selection };
  const provenance = {
    requested_operator_prompt_mode: 'as_is',
    detected_tool_version: '2.1.81',
    selected_strategy_id: 'claude-as-is',
    selection_source: 'registry',
    override_env_var_name: null,
  };
  const place = withMemory ? { primary_window_id: ids.window, primary_pane_id: ids.pane } : {};
  const registry = { registry_generation_id: generation, registry_launch_authority: 'runtime' };
  return {
    schema_version: 4,
    backend,
    tool: 'claude',
    role_name: 'tester',
    created_at_utc: at,
    working_directory: workingDirectory,
    brain_manifest_path: facts.brain,
    agent_name: facts.agentName,
    agent_id: facts.agentId,
    tmux_session_name: session,
    ...registry,
    ...(withMemory
      ? {
          system_prompt: {
            format: 'text',
            role_name: 'tester',
            sha256: '0'.repeat(64),
            source: 'role',
            text: 'You test.',
          },
        }
      : { job_dir: jobs }),
    runtime: {
      session_id: sessionId,
      agent_def_dir: facts.definition,
      agent_pid: null,
      ...registry,
      ...(withMemory
        ? { memory_root: memory, memo_file: join(memory, 'memo.md'), pages_dir: join(memory, 'pages') }
        : { job_dir: jobs, memory_binding: 'disabled', memory_dir: null }),
    },
    tmux: {
      session_name: session,
      primary_window_index: '0',
      primary_window_name: windowName,
      primary_window_role: 'managed_agent_surface',
      ...place,
    },
    interactive: {
      ...applied,
      terminal_id: null,
      parsing_mode: null,
      tmux_window_name: windowName,
    },
    agent_launch_authority: {
      backend,
      tool: 'claude',
      tmux_session_name: session,
      primary_window_index: '0',
      ...place,
      working_directory: workingDirectory,
      session_id: sessionId,
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
      tool: 'claude',
      executable: standinProgram,
      args: [],
      working_directory: workingDirectory,
      env_var_names: ['HOUMAO_STANDIN_LEDGER'],
      home_selector: { env_var: 'CLAUDE_CONFIG_DIR', home_path: facts.home },
      role_injection: { method: 'native_append_system_prompt', role_name: 'tester' },
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
      ...conversation,
      tmux_session_name: session,
      tmux_window_name: windowName,
      ...(withMemory ? { tmux_window_id: ids.window, tmux_pane_id: ids.pane } : {}),
    },
    headless: isTerminal ? null : conversation,
    local_interactive: isTerminal ? applied : null,
    codex: null,
    cao: null,
    houmao_server: null,
  };
}

/** The files of a gateway that was stopped. @returns the request that still waits. */
function writeGateway(folder: string, facts: OlderFacts): string {
  const attach = {
    schema_version: 1,
    attach_identity: facts.sessionId,
    backend: facts.backend,
    tmux_session_name: facts.session,
    working_directory: facts.workingDirectory,
    backend_metadata: {
      session_id: facts.sessionId,
      tool: 'claude',
      managed_api_base_url: null,
      managed_agent_ref: null,
    },
    manifest_path: join(facts.root, 'manifest.json'),
    agent_def_dir: facts.definition,
    runtime_session_id: facts.sessionId,
    desired_host: '127.0.0.1',
    desired_port: null,
  };
  const nowhere = {
    gateway_tmux_window_id: null,
    gateway_tmux_window_index: null,
    gateway_tmux_pane_id: null,
  };
  writeSorted(join(folder, 'attach.json'), attach);
  writeSorted(join(folder, 'gateway_manifest.json'), {
    ...attach,
    gateway_pid: null,
    gateway_host: null,
    gateway_port: null,
    gateway_protocol_version: null,
    gateway_execution_mode: null,
    ...nowhere,
  });
  writeSorted(join(folder, 'desired-config.json'), {
    schema_version: 1,
    desired_host: '127.0.0.1',
    desired_port: null,
    desired_execution_mode: 'detached_process',
    desired_tui_tracking_timings: null,
  });
  writeSorted(join(folder, 'state.json'), {
    schema_version: 1,
    protocol_version: 'v1',
    attach_identity: facts.sessionId,
    backend: facts.backend,
    tmux_session_name: facts.session,
    gateway_health: 'not_attached',
    managed_agent_connectivity: 'unavailable',
    managed_agent_recovery: 'idle',
    request_admission: 'blocked_unavailable',
    terminal_surface_eligibility: 'unknown',
    active_execution: 'idle',
    execution_mode: 'detached_process',
    queue_depth: 1,
    gateway_host: null,
    gateway_port: null,
    ...nowhere,
    managed_agent_instance_epoch: 1,
    managed_agent_instance_id: null,
  });
  writeFileSync(join(folder, 'protocol-version.txt'), 'v1\n');
  mkdirSync(join(folder, 'logs'));
  writeFileSync(join(folder, 'logs', 'gateway.log'), `${at} gateway stopping\n`);
  const waiting = 'gwreq-20260502-092041Z-0a1b2c3d';
  const accepted = {
    accepted_at_utc: at,
    kind: 'accepted',
    request_id: waiting,
    request_kind: 'submit_prompt',
  };
  writeFileSync(
    join(folder, 'events.jsonl'),
    `${JSON.stringify(accepted).replaceAll('":', '": ').replaceAll(',"', ', "')}\n`,
  );
  writeQueue(join(folder, 'queue.sqlite'), waiting);
  return waiting;
}

/** Its journal is the usual one, and it has no index. */
function writeQueue(path: string, waiting: string): void {
  const queue = openDatabase(path);
  queue.exec(`
    CREATE TABLE gateway_requests (
      request_id TEXT PRIMARY KEY, request_kind TEXT NOT NULL, payload_json TEXT NOT NULL, state TEXT NOT NULL,
      accepted_at_utc TEXT NOT NULL, started_at_utc TEXT, finished_at_utc TEXT,
      managed_agent_instance_epoch INTEGER NOT NULL, error_detail TEXT, result_json TEXT
    )`);
  const insert = queue.prepare('INSERT INTO gateway_requests VALUES (?, ?, ?, ?, ?, ?, ?, 1, NULL, ?)');
  const payload = (prompt: string) =>
    JSON.stringify({ chat_session: null, execution: null, prompt, turn_id: null });
  const completed = 'gwreq-20260502-092000Z-00112233';
  insert.run(completed, 'submit_prompt', payload('before'), 'completed', at, at, at, '{}');
  insert.run(waiting, 'submit_prompt', payload('left by the older one'), 'accepted', at, null, null, null);
  queue.close();
}

function recordOf(facts: OlderFacts) {
  const common = {
    agent_name: facts.agentName,
    agent_id: facts.agentId,
    generation_id: facts.generation,
    identity: { backend: facts.backend, tool: 'claude' },
    runtime: {
      manifest_path: join(facts.root, 'manifest.json'),
      session_root: facts.root,
      agent_def_dir: facts.definition,
    },
    gateway: null,
    mailbox: null,
  };
  const published = new Date().toISOString();
  const lease = (days: number) => ({
    published_at: published,
    lease_expires_at: new Date(Date.parse(published) + days * 86_400_000).toISOString(),
  });
  if (facts.release === 'with jobs')
    return {
      schema_version: 2,
      ...common,
      ...lease(1),
      terminal: { kind: 'tmux', session_name: facts.session },
    };
  return {
    schema_version: 3,
    ...common,
    liveness: lease(36_500),
    lifecycle: {
      state: 'active',
      relaunchable: true,
      state_updated_at: published,
      stopped_at: null,
      stop_reason: null,
    },
    terminal: {
      kind: 'tmux',
      current_session_name: facts.session,
      last_session_name: facts.session,
    },
  };
}
