import { type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';

/*
 * How the older implementation reads the files that both read: objects are closed, types are exact, texts are not blank, and
 * what belongs together is checked together.
 */
type Fields = Record<string, TSchema>;
const closed = (fields: Fields) => Type.Object(fields, { additionalProperties: false });
const text = Type.String({ pattern: '\\S' });
const orNull = (schema: TSchema) => Type.Optional(Type.Union([schema, Type.Null()]));
const maybe = orNull(text);
const oneOf = (...values: string[]) => Type.Union(values.map((value) => Type.Literal(value)));
const port = Type.Integer({ minimum: 1, maximum: 65535 });
const json = Type.Record(Type.String(), Type.Unknown());
const host = oneOf('127.0.0.1', '0.0.0.0');
const mode = oneOf('detached_process', 'tmux_auxiliary_window');
const backend = oneOf('local_interactive', 'codex_headless', 'claude_headless', 'gemini_headless');
const parsing = orNull(oneOf('cao_only', 'shadow_only'));
const authority = oneOf('runtime', 'external');

const mailServer = {
  transport: Type.Literal('stalwart'),
  principal_id: text,
  address: text,
  bindings_version: text,
  jmap_url: text,
  management_url: text,
  login_identity: text,
  credential_ref: text,
};
const mailFolder = {
  transport: Type.Literal('filesystem'),
  principal_id: text,
  address: text,
  bindings_version: text,
  filesystem_root: text,
};
const provenance = closed({
  requested_operator_prompt_mode: oneOf('as_is', 'unattended'),
  detected_tool_version: text,
  selected_strategy_id: text,
  selection_source: oneOf('registry', 'env_override'),
  override_env_var_name: maybe,
});
const endpoint = closed({
  api_base_url: maybe,
  managed_agent_ref: maybe,
  terminal_id: maybe,
  profile_name: maybe,
  profile_path: maybe,
  parsing_mode: parsing,
  tmux_window_name: maybe,
});
const conversation = {
  turn_index: Type.Integer(),
  role_bootstrap_applied: Type.Boolean(),
  working_directory: text,
};
const manifest = closed({
  schema_version: Type.Literal(4),
  backend,
  tool: text,
  role_name: text,
  created_at_utc: text,
  working_directory: text,
  brain_manifest_path: text,
  agent_name: text,
  agent_id: text,
  tmux_session_name: text,
  registry_generation_id: maybe,
  registry_launch_authority: authority,
  runtime: closed({
    session_id: maybe,
    agent_def_dir: maybe,
    agent_pid: orNull(Type.Integer({ minimum: 1 })),
    registry_generation_id: maybe,
    registry_launch_authority: authority,
  }),
  tmux: closed({
    session_name: text,
    primary_window_index: text,
    primary_window_name: maybe,
    primary_window_role: Type.Literal('managed_agent_surface'),
  }),
  interactive: closed({
    turn_index: Type.Integer(),
    working_directory: maybe,
    terminal_id: maybe,
    parsing_mode: parsing,
    role_bootstrap_applied: orNull(Type.Boolean()),
    tmux_window_name: maybe,
  }),
  agent_launch_authority: closed({
    backend,
    tool: text,
    tmux_session_name: maybe,
    primary_window_index: text,
    working_directory: text,
    session_id: maybe,
    profile_name: maybe,
    profile_path: maybe,
    session_origin: Type.Null(),
    posture_kind: Type.Literal('runtime_launch_plan'),
    launch_args: Type.Null(),
    launch_env: Type.Null(),
  }),
  gateway_authority: closed({ attach: endpoint, control: endpoint }),
  launch_plan: closed({
    backend,
    tool: text,
    executable: text,
    args: Type.Array(Type.String()),
    working_directory: text,
    home_selector: closed({ env_var: text, home_path: text }),
    env_var_names: Type.Array(Type.String()),
    role_injection: closed({
      method: oneOf('native_developer_instructions', 'native_append_system_prompt', 'bootstrap_message'),
      role_name: text,
    }),
    metadata: json,
    mailbox: orNull(
      Type.Union([
        closed({ ...mailFolder, mailbox_kind: oneOf('in_root', 'symlink'), mailbox_path: maybe }),
        closed(mailServer),
      ]),
    ),
    launch_policy_provenance: orNull(provenance),
  }),
  launch_policy_provenance: orNull(provenance),
  backend_state: json,
  headless: orNull(
    closed({
      session_id: Type.Union([Type.String(), Type.Null()]),
      ...conversation,
      resume_selection_kind: oneOf('none', 'last', 'exact'),
      resume_selection_value: maybe,
    }),
  ),
  local_interactive: orNull(closed(conversation)),
  codex: Type.Null(),
  cao: Type.Null(),
  houmao_server: Type.Null(),
});

const attachFields = {
  schema_version: Type.Literal(1),
  attach_identity: text,
  backend,
  tmux_session_name: text,
  working_directory: text,
  manifest_path: maybe,
  agent_def_dir: maybe,
  runtime_session_id: maybe,
  desired_host: orNull(host),
  desired_port: orNull(port),
  backend_metadata: closed({
    session_id: maybe,
    tool: text,
    managed_api_base_url: maybe,
    managed_agent_ref: maybe,
  }),
};
const state = closed({
  schema_version: Type.Literal(1),
  protocol_version: Type.Literal('v1'),
  attach_identity: text,
  backend,
  tmux_session_name: text,
  gateway_health: oneOf('healthy', 'not_attached'),
  managed_agent_connectivity: oneOf('connected', 'unavailable'),
  managed_agent_recovery: oneOf('idle', 'awaiting_rebind', 'reconciliation_required'),
  request_admission: oneOf('open', 'blocked_unavailable', 'blocked_reconciliation'),
  terminal_surface_eligibility: oneOf('ready', 'unknown', 'not_ready'),
  active_execution: oneOf('idle', 'running'),
  execution_mode: mode,
  queue_depth: Type.Integer({ minimum: 0 }),
  gateway_host: orNull(host),
  gateway_port: orNull(port),
  gateway_tmux_window_id: maybe,
  gateway_tmux_window_index: maybe,
  gateway_tmux_pane_id: maybe,
  managed_agent_instance_epoch: Type.Integer({ minimum: 0 }),
  managed_agent_instance_id: maybe,
});
const schemas = {
  'manifest.json': manifest,
  'gateway/attach.json': closed(attachFields),
  'gateway/gateway_manifest.json': closed({
    ...attachFields,
    gateway_pid: orNull(Type.Integer({ minimum: 1 })),
    gateway_host: orNull(host),
    gateway_port: orNull(port),
    gateway_protocol_version: orNull(Type.Literal('v1')),
    gateway_execution_mode: orNull(mode),
    gateway_tmux_window_id: maybe,
    gateway_tmux_window_index: maybe,
    gateway_tmux_pane_id: maybe,
  }),
  'gateway/state.json': state,
  'gateway/run/current-instance.json': closed({
    schema_version: Type.Literal(1),
    protocol_version: Type.Literal('v1'),
    host,
    port,
    pid: Type.Integer({ minimum: 1 }),
    execution_mode: mode,
    tmux_window_id: maybe,
    tmux_window_index: maybe,
    tmux_pane_id: maybe,
    managed_agent_instance_id: maybe,
    managed_agent_instance_epoch: Type.Integer({ minimum: 1 }),
  }),
  'record.json': closed({
    schema_version: Type.Literal(2),
    agent_name: text,
    agent_id: Type.String({ pattern: '^[^/\\\\]+$' }),
    generation_id: text,
    published_at: text,
    lease_expires_at: text,
    identity: closed({ backend, tool: text }),
    runtime: closed({ manifest_path: text, session_root: maybe, agent_def_dir: maybe }),
    terminal: closed({ kind: Type.Literal('tmux'), session_name: text }),
    gateway: orNull(closed({ host, port, state_path: text, protocol_version: Type.Literal('v1') })),
    mailbox: orNull(Type.Union([closed(mailFolder), closed(mailServer)])),
  }),
};
/** A file that both implementations read, by its path in a session root; `record.json` is that of the registry. */
export type SharedFile = keyof typeof schemas;

interface Loose {
  readonly [field: string]: Loose | null;
}
const same = (...values: unknown[]): boolean => new Set(values.map((value) => value ?? null)).size === 1;
const allOrNone = (...values: unknown[]): boolean => same(...values.map((value) => value == null));

/** The rules for one file beyond its fields, by their names. */
const rules: Partial<Record<SharedFile, Record<string, (file: Loose) => boolean>>> = {
  'manifest.json': {
    'one backend and one tool': (file) =>
      same(file.backend, file.launch_plan?.backend) && same(file.tool, file.launch_plan?.tool),
    'one tmux session': (file) => same(file.tmux_session_name, file.tmux?.session_name),
    'one generation': (file) =>
      same(file.registry_generation_id, file.runtime?.registry_generation_id) &&
      same(file.registry_launch_authority, file.runtime?.registry_launch_authority),
    'the section of its backend alone': (file) =>
      String(file.backend) === 'local_interactive'
        ? file.local_interactive !== null && file.headless === null
        : file.headless !== null && file.local_interactive === null,
    'an exact conversation has an id': ({ headless }) =>
      !headless ||
      (String(headless.resume_selection_kind) === 'exact') === (headless.resume_selection_value !== null),
  },
  'gateway/gateway_manifest.json': {
    'a gateway whole or not at all': (file) =>
      allOrNone(
        ...[file.gateway_pid, file.gateway_host, file.gateway_port],
        ...[file.gateway_protocol_version, file.gateway_execution_mode],
      ),
  },
  'gateway/state.json': {
    'host and port while it is healthy': (file) =>
      [file.gateway_host, file.gateway_port].every(
        (v) => (v == null) === (String(file.gateway_health) !== 'healthy'),
      ),
  },
  'record.json': {
    'a lease that ends later': (file) =>
      Date.parse(String(file.lease_expires_at)) > Date.parse(String(file.published_at)),
  },
};

/** Why the older implementation would refuse a file: none when it takes it. */
export function refusedByOlder(kind: SharedFile, file: unknown): string[] {
  const shape = [...Value.Errors(schemas[kind], file)].map(({ path, message }) => `${path}: ${message}`);
  const broken = Object.entries(rules[kind] ?? {}).flatMap(([rule, holds]) =>
    holds(file as Loose) ? [] : rule,
  );
  return [...shape, ...broken];
}
