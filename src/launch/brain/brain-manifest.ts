import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { parse } from 'yaml';
import { UnusableFile } from '../../foundation/faults.js';
import { Choice, Text } from '../../session/file-schema.js';
import { type DeclaredMailbox, parseDeclaredMailbox } from '../../session/launch-settings.js';

const Maybe = Type.Optional;
const Values = Type.Array(Type.String());
const Parameters = Maybe(Type.Object({}, { additionalProperties: true }));
const Override = Maybe(
  Type.Object({
    args: Maybe(Type.Object({ mode: Choice('append', 'replace'), values: Values })),
    tool_params: Parameters,
  }),
);
const LaunchContract = Type.Object({
  adapter_defaults: Maybe(Type.Object({ args: Maybe(Values), tool_params: Parameters })),
  requested_overrides: Maybe(Type.Object({ preset: Override, direct: Override })),
  env_records: Maybe(
    Type.Record(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }), Type.String(), {
      additionalProperties: false,
    }),
  ),
  model_selection: Maybe(
    Type.Object({
      resolved: Maybe(
        Type.Object({
          effective: Maybe(
            Type.Object({
              name: Maybe(Text),
              reasoning: Maybe(Type.Object({ level: Maybe(Type.Integer({ minimum: 0 })) })),
            }),
          ),
        }),
      ),
    }),
  ),
});
const BrainSchema = Type.Object({
  schema_version: Type.Literal(3),
  inputs: Type.Object({ tool: Text }),
  runtime: Type.Object({
    launch_executable: Text,
    launch_home_selector: Type.Object({ env_var: Text, value: Text }),
    launch_contract: Maybe(LaunchContract),
  }),
  credentials: Maybe(
    Type.Object({
      env_contract: Maybe(Type.Object({ source_file: Maybe(Text), allowlisted_env_vars: Maybe(Values) })),
    }),
  ),
  launch_policy: Maybe(Type.Object({ operator_prompt_mode: Maybe(Choice('unattended', 'as_is')) })),
  identity: Maybe(Type.Object({ canonical_agent_name: Maybe(Text) })),
});
type BrainFields = Static<typeof BrainSchema>;

/** The fields of a brain manifest that a launch uses; unknown fields are ignored. */
export interface BrainManifest {
  /** As it is written there; it may be an unsupported tool. */
  tool: string;
  executable: string;
  home: { variable: string; path: string };
  /** The arguments of every turn, in order. */
  arguments: readonly string[];
  model: string | null;
  reasoningLevel: number | null;
  unattended: boolean;
  agentName: string | null;
  mailbox: DeclaredMailbox | null;
}

const remedy = 'correct it, or name another brain manifest';

/**
 * Reads a brain manifest, schema version 3.
 * @throws {UnusableFile} whose reason names the first field that breaks a rule, and never a value.
 */
export function readBrainManifest(path: string): BrainManifest {
  return parseBrainManifest(path, readText(path));
}

/** Pure: reads a brain manifest from its text. @throws {UnusableFile} */
export function parseBrainManifest(path: string, text: string): BrainManifest {
  const fault = (reason: string) => new UnusableFile(path, reason, remedy);
  const written = parseYaml(text, fault);
  const value = withoutNulls(written);
  const first = Value.Errors(BrainSchema, value).First();
  if (first) throw fault(`field ${first.path || '(root)'}: ${first.message.toLowerCase()}`);
  const fields = value as BrainFields;
  const { runtime, launch_policy } = fields;
  checkPaths(fields, fault);
  const contract = runtime.launch_contract ?? {};
  const model = contract.model_selection?.resolved?.effective;
  return {
    tool: fields.inputs.tool.trim(),
    executable: runtime.launch_executable.trim(),
    home: { variable: runtime.launch_home_selector.env_var, path: runtime.launch_home_selector.value },
    arguments: argumentsOf(contract, fault),
    model: model?.name ?? null,
    reasoningLevel: model?.reasoning?.level ?? null,
    unattended: launch_policy?.operator_prompt_mode !== 'as_is',
    agentName: fields.identity?.canonical_agent_name?.trim() ?? null,
    mailbox: parseDeclaredMailbox(path, (written as { mailbox?: unknown }).mailbox),
  };
}

/** Removes fields that are null: they count as left out. */
function withoutNulls(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  const set = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(set.map(([name, field]) => [name, withoutNulls(field)]));
}

type Fault = (reason: string) => UnusableFile;

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UnusableFile(path, `cannot be read (${(error as NodeJS.ErrnoException).code})`, remedy);
  }
}

function parseYaml(text: string, fault: Fault): unknown {
  try {
    return parse(text, { logLevel: 'error' });
  } catch (error) {
    // The message of the parser quotes the line, which may contain a secret.
    const [at] = (error as { linePos?: { line: number }[] }).linePos ?? [];
    throw fault(`is not valid YAML${at ? ` (line ${at.line})` : ''}`);
  }
}

/** Refuses relative paths: a turn runs in the agent's own working directory, where they would name other files. */
function checkPaths({ runtime, credentials }: BrainFields, fault: Fault): void {
  const source = credentials?.env_contract?.source_file;
  const paths = {
    '/runtime/launch_home_selector/value': runtime.launch_home_selector.value,
    ...(source && { '/credentials/env_contract/source_file': source }),
  };
  for (const [field, path] of Object.entries(paths))
    if (!isAbsolute(path)) throw fault(`field ${field}: must be an absolute path`);
}

interface ArgumentOverride {
  args?: { mode: 'append' | 'replace'; values: readonly string[] } | null | undefined;
  tool_params?: object | null | undefined;
}

/** The part of a launch contract that determines the arguments of every turn. */
interface ArgumentContract {
  adapter_defaults?:
    | { args?: readonly string[] | null | undefined; tool_params?: object | null | undefined }
    | null
    | undefined;
  requested_overrides?:
    | { preset?: ArgumentOverride | null | undefined; direct?: ArgumentOverride | null | undefined }
    | null
    | undefined;
}

/**
 * Pure: returns the defaults of the adapter, extended or replaced by the preset, then by the direct overrides.
 * @throws the error that `fault` makes, for parameters that would have to be translated into arguments: ignoring them would start
 * another agent than was described.
 */
export function argumentsOf(
  { adapter_defaults, requested_overrides }: ArgumentContract,
  fault: (reason: string) => UnusableFile,
): string[] {
  const layers = [
    ['adapter_defaults', adapter_defaults],
    ['requested_overrides/preset', requested_overrides?.preset],
    ['requested_overrides/direct', requested_overrides?.direct],
  ] as const;
  for (const [name, layer] of layers)
    if (Object.keys(layer?.tool_params ?? {}).length > 0)
      throw fault(
        `field /runtime/launch_contract/${name}/tool_params: parameters are not supported; write them as args`,
      );
  const overrides = [requested_overrides?.preset?.args, requested_overrides?.direct?.args];
  return overrides.reduce<string[]>(
    (before, override) =>
      override ? [...(override.mode === 'append' ? before : []), ...override.values] : before,
    [...(adapter_defaults?.args ?? [])],
  );
}
