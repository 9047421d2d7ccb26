import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { type Static, type TObject, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { parse } from 'yaml';
import { UnusableFile } from '../foundation/faults.js';
import { rememberLast } from '../foundation/text.js';
import { Text } from './file-schema.js';
import type { Manifest } from './manifest-schema.js';

/** The settings that a launch recorded for every turn: variables, model and role (docs/decisions.md#environment-of-a-turn). */
export interface LaunchSettings {
  environment: Readonly<Record<string, string>>;
  model: { name: string | null; reasoningLevel: number | null };
  role: string | null;
}

/** The variables that every program needs, and that a session made by another program may not name. */
const basics = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TZ', 'TMPDIR'] as const;

/** The fields of a manifest that lead to the recorded settings. */
type LaunchFiles = Pick<Manifest, 'brain_manifest_path' | 'role_name'> & {
  runtime: Pick<Manifest['runtime'], 'agent_def_dir'>;
};

interface BrainManifest {
  /** The whole prompt of the agent's role, as the older implementation composed it. */
  inputs?: { role_prompt_text?: string | null } | null;
  runtime?: { launch_contract?: LaunchContract | null };
  credentials?: { env_contract?: { source_file?: string; allowlisted_env_vars?: string[] } };
}
interface LaunchContract {
  env_records?: Record<string, string> | null;
  model_selection?: { resolved?: { effective?: EffectiveModel | null } | null } | null;
}
interface EffectiveModel {
  name?: string | null;
  reasoning?: { level?: number | null } | null;
}

/**
 * Reads the settings that the launch of one agent recorded. Make one reader per agent and keep it: it parses a file only when
 * it has changed.
 */
export class LaunchSettingsReader {
  readonly #inherited: Readonly<Record<string, string>>;
  /**
   * The last result is kept: each turn reads the file three times, it hardly ever changes, and parsing it blocks the event loop
   * for milliseconds.
   */
  readonly #parse = rememberLast((text: string): unknown => parse(text));

  /** @param own the environment of this program. Only its basic variables (PATH, HOME and the like) are used. */
  constructor(own: NodeJS.ProcessEnv) {
    this.#inherited = Object.fromEntries(
      basics.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]] as const])),
    );
  }

  /**
   * Reads the brain manifest with the variables it sets, the environment file it names, and the role. The basic variables come
   * from this program when the file does not name them.
   * @throws {UnusableFile} when a file exists and cannot be used.
   */
  read(manifest: LaunchFiles): LaunchSettings {
    const brain = this.#brain(manifest.brain_manifest_path);
    const contract = brain.credentials?.env_contract;
    const recorded = contract?.source_file ? readEnvironmentFile(contract.source_file) : {};
    const allowed = contract?.allowlisted_env_vars;
    const named = Object.entries(recorded).filter(([name]) => !allowed || allowed.includes(name));
    const launch = brain.runtime?.launch_contract;
    const effective = launch?.model_selection?.resolved?.effective;
    const composed = brain.inputs?.role_prompt_text;
    return {
      environment: { ...this.#inherited, ...Object.fromEntries(named), ...launch?.env_records },
      model: { name: effective?.name ?? null, reasoningLevel: effective?.reasoning?.level ?? null },
      role: typeof composed === 'string' ? orNull(composed) : readRole(manifest),
    };
  }

  #brain(path: string): BrainManifest {
    if (!existsSync(path)) return {};
    try {
      const value = this.#parse(readFileSync(path, 'utf8'));
      return value !== null && typeof value === 'object' ? value : {};
    } catch (error) {
      throw new UnusableFile(path, `is not valid YAML (${(error as Error).message.split('\n')[0]})`);
    }
  }
}

function readEnvironmentFile(path: string): Record<string, string> {
  try {
    return parseEnv(readFileSync(path, 'utf8')) as Record<string, string>;
  } catch (error) {
    throw new UnusableFile(
      path,
      `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'not an environment file'})`,
    );
  }
}

function readRole(manifest: LaunchFiles): string | null {
  const folder = manifest.runtime.agent_def_dir;
  if (!folder) return null;
  const path = join(folder, 'roles', manifest.role_name, 'system-prompt.md');
  if (!existsSync(path)) return null;
  return orNull(readFileSync(path, 'utf8'));
}

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** Writes one `NAME=value` line per variable, in a form that `parseEnv` reads back unchanged. */
export function toEnvironmentFile(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${quote(name, value)}\n`)
    .join('');
}

function quote(name: string, value: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    throw new Error(`${JSON.stringify(name)} is not the name of a variable.`);
  if (value.includes('\r'))
    throw new Error(`The value of ${name} contains a carriage return; an environment file cannot carry it.`);
  const mark = ["'", '`', '"'].find(
    (candidate) => !value.includes(candidate) && !(candidate === '"' && value.includes('\\')),
  );
  if (mark === undefined)
    throw new Error(
      `The value of ${name} contains every kind of quote; an environment file cannot carry it.`,
    );
  return `${mark}${value}${mark}`;
}

const Given = Type.Optional(Text);
const identity = { principal_id: Given, address: Given };
const sections: ReadonlyMap<string, TObject> = new Map([
  ['filesystem', Type.Object({ transport: Given, ...identity, filesystem_root: Given })],
  [
    'stalwart',
    Type.Object({
      transport: Given,
      ...identity,
      base_url: Given,
      jmap_url: Given,
      management_url: Given,
    }),
  ],
  ['none', Type.Object({})],
]);
type Identity = Static<ReturnType<typeof Type.Object<typeof identity>>>;

/**
 * The mailbox that a brain manifest declares for its agent, with only the fields it sets; unknown fields are ignored
 * (docs/decisions.md#declared-mailboxes).
 */
export type DeclaredMailbox =
  | (Identity & { transport: 'filesystem'; filesystem_root?: string })
  | (Identity & { transport: 'stalwart'; base_url?: string; jmap_url?: string; management_url?: string });

/**
 * Pure: parses the section `mailbox` of a brain manifest; null when there is none, or its transport is `none`.
 * @throws {UnusableFile} with the field.
 */
export function parseDeclaredMailbox(path: string, section: unknown): DeclaredMailbox | null {
  if (section === undefined || section === null) return null;
  const fault = (field: string, reason: string) =>
    new UnusableFile(path, `field ${field}: ${reason}`, remedy);
  if (typeof section !== 'object' || Array.isArray(section)) throw fault('/mailbox', 'must be a mapping');
  const { transport } = section as { transport?: unknown };
  const schema = typeof transport === 'string' ? sections.get(transport) : undefined;
  if (!schema) throw fault('/mailbox/transport', `must be one of ${[...sections.keys()].join(', ')}`);
  const first = Value.Errors(schema, section).First();
  if (first) throw fault(`/mailbox${first.path}`, 'must be a text that is not blank, or be left out');
  if (transport === 'none') return null;
  const known = Object.keys(schema.properties);
  const given = Object.entries(section).filter(([name]) => known.includes(name));
  return Object.fromEntries(
    given.map(([name, value]) => [name, (value as string).trim()]),
  ) as unknown as DeclaredMailbox;
}

const remedy = 'correct its section "mailbox", or remove that section';

/**
 * Reads the mailbox that a brain manifest declares; null also when the file is absent.
 * @param path the path of the brain manifest.
 * @throws {UnusableFile} when the file cannot be read as YAML, or its section `mailbox` is wrong.
 */
export function readDeclaredMailbox(path: string): DeclaredMailbox | null {
  let brain: unknown;
  try {
    brain = parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new UnusableFile(
      path,
      `cannot be read as YAML (${(error as Error).message.split('\n')[0]})`,
      remedy,
    );
  }
  return parseDeclaredMailbox(path, (brain as { mailbox?: unknown } | null)?.mailbox);
}
