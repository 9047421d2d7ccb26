import { type Static, Type } from '@sinclair/typebox';
import { Choice, Closed, Nullable, OptionalText, Text } from './file-schema.js';

export const backends = [
  'local_interactive',
  'codex_headless',
  'codex_app_server',
  'claude_headless',
  'gemini_headless',
  'cao_rest',
  'houmao_server_rest',
] as const;
export type Backend = (typeof backends)[number];

const Optional = Type.Optional;
const Strings = Type.Array(Type.String());
const Count = Type.Integer({ minimum: 0 });
const OpenObject = Type.Object({}, { additionalProperties: true });
const ParsingMode = Choice('cao_only', 'shadow_only');

const Endpoint = Closed({
  api_base_url: OptionalText,
  managed_agent_ref: OptionalText,
  terminal_id: OptionalText,
  profile_name: OptionalText,
  profile_path: OptionalText,
  parsing_mode: Optional(Nullable(ParsingMode)),
  tmux_window_name: OptionalText,
});
const Runtime = Closed({
  session_id: OptionalText,
  agent_def_dir: OptionalText,
  agent_pid: Optional(Nullable(Type.Integer({ minimum: 1 }))),
  registry_generation_id: OptionalText,
  registry_launch_authority: Optional(Choice('runtime', 'external')),
  job_dir: OptionalText,
  memory_binding: Optional(Nullable(Choice('auto', 'exact', 'disabled'))),
  memory_dir: OptionalText,
  workspace_root: OptionalText,
  scratch_dir: OptionalText,
  persist_binding: Optional(Nullable(Choice('auto', 'exact', 'disabled'))),
  persist_dir: OptionalText,
  memory_root: OptionalText,
  memo_file: OptionalText,
  pages_dir: OptionalText,
});
const Tmux = Closed({
  session_name: Text,
  primary_window_index: Optional(Type.Literal('0')),
  primary_window_role: Optional(Type.Literal('managed_agent_surface')),
  primary_window_name: OptionalText,
  primary_window_id: OptionalText,
  primary_pane_id: OptionalText,
});
const Interactive = Closed({
  turn_index: Optional(Count),
  working_directory: OptionalText,
  role_bootstrap_applied: Optional(Nullable(Type.Boolean())),
  terminal_id: OptionalText,
  parsing_mode: Optional(Nullable(ParsingMode)),
  tmux_window_name: OptionalText,
});
const LaunchEnv = Type.Union([
  Closed({ mode: Type.Literal('literal'), name: Text, value: Type.String() }),
  Closed({ mode: Type.Literal('inherit'), name: Text }),
]);
const LaunchAuthority = Closed({
  backend: Text,
  tool: Text,
  tmux_session_name: OptionalText,
  primary_window_index: Optional(Type.Literal('0')),
  primary_window_id: OptionalText,
  primary_pane_id: OptionalText,
  working_directory: Text,
  session_id: OptionalText,
  profile_name: OptionalText,
  profile_path: OptionalText,
  session_origin: Optional(Nullable(Type.Literal('joined_tmux'))),
  posture_kind: Optional(
    Nullable(Choice('runtime_launch_plan', 'tui_launch_options', 'headless_launch_options', 'unavailable')),
  ),
  launch_args: Optional(Nullable(Strings)),
  launch_env: Optional(Nullable(Type.Array(LaunchEnv))),
});
const FilesystemMailbox = Closed({
  transport: Type.Literal('filesystem'),
  principal_id: Text,
  address: Text,
  bindings_version: Text,
  filesystem_root: Text,
  mailbox_kind: Optional(Choice('in_root', 'symlink')),
  mailbox_path: OptionalText,
});
const StalwartMailbox = Closed({
  transport: Type.Literal('stalwart'),
  principal_id: Text,
  address: Text,
  bindings_version: Text,
  jmap_url: Text,
  management_url: Text,
  login_identity: Text,
  credential_ref: Text,
});
const Provenance = Closed({
  requested_operator_prompt_mode: Choice('as_is', 'unattended'),
  detected_tool_version: OptionalText,
  selected_strategy_id: OptionalText,
  selection_source: Optional(Nullable(Choice('registry', 'env_override'))),
  override_env_var_name: OptionalText,
});
const LaunchPlan = Closed({
  backend: Text,
  tool: Text,
  executable: Text,
  args: Strings,
  working_directory: Text,
  home_selector: Closed({ env_var: Text, home_path: Text }),
  env_var_names: Strings,
  role_injection: Closed({
    method: Choice(
      'native_developer_instructions',
      'native_append_system_prompt',
      'bootstrap_message',
      'cao_profile',
      'auto_skill_system_prompt',
    ),
    role_name: Text,
  }),
  metadata: OpenObject,
  mailbox: Optional(Nullable(Type.Union([FilesystemMailbox, StalwartMailbox]))),
  launch_policy_provenance: Optional(Nullable(Provenance)),
});
const HeadlessSection = Closed({
  session_id: OptionalText,
  turn_index: Count,
  role_bootstrap_applied: Type.Boolean(),
  working_directory: OptionalText,
  resume_selection_kind: Optional(Choice('none', 'last', 'exact')),
  resume_selection_value: OptionalText,
});

/** `<session-root>/manifest.json`, schema version 4. */
export const ManifestSchema = Closed({
  schema_version: Type.Literal(4),
  backend: Choice(...backends),
  tool: Text,
  role_name: Text,
  created_at_utc: Text,
  working_directory: Text,
  brain_manifest_path: Text,
  agent_name: OptionalText,
  agent_id: OptionalText,
  tmux_session_name: OptionalText,
  job_dir: OptionalText,
  registry_generation_id: OptionalText,
  registry_launch_authority: Optional(Choice('runtime', 'external')),
  runtime: Runtime,
  tmux: Optional(Nullable(Tmux)),
  interactive: Optional(Nullable(Interactive)),
  agent_launch_authority: Optional(Nullable(LaunchAuthority)),
  gateway_authority: Optional(Nullable(Closed({ attach: Endpoint, control: Endpoint }))),
  launch_plan: LaunchPlan,
  launch_policy_provenance: Optional(Nullable(Provenance)),
  backend_state: OpenObject,
  headless: Optional(Nullable(HeadlessSection)),
  codex: Optional(Nullable(OpenObject)),
  local_interactive: Optional(Nullable(OpenObject)),
  cao: Optional(Nullable(OpenObject)),
  houmao_server: Optional(Nullable(OpenObject)),
  system_prompt: Optional(Nullable(OpenObject)),
});
export type Manifest = Static<typeof ManifestSchema>;

/** The mailbox of an agent, as its session manifest names it. */
export type MailBinding = NonNullable<Manifest['launch_plan']['mailbox']>;
