import { readFileSync } from 'node:fs';
import { type Static, type TObject, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { parse } from 'yaml';
import { UnusableFile } from '../foundation/unusable-file.js';
import { Text } from './file-schema.js';

const Given = Type.Optional(Text);
const identity = { principal_id: Given, address: Given };
const sections: ReadonlyMap<string, TObject> = new Map([
  ['filesystem', Type.Object({ transport: Given, ...identity, filesystem_root: Given })],
  [
    'stalwart',
    Type.Object({
      ...{ transport: Given, ...identity, base_url: Given, jmap_url: Given, management_url: Given },
    }),
  ],
  ['none', Type.Object({})],
]);
type Identity = Static<ReturnType<typeof Type.Object<typeof identity>>>;

/**
 * The mailbox that a brain manifest declares for its agent, with what it sets alone; unknown fields are passed over
 * (docs/decisions.md#declared-mailboxes).
 */
export type DeclaredMailbox =
  | (Identity & { transport: 'filesystem'; filesystem_root?: string })
  | (Identity & { transport: 'stalwart'; base_url?: string; jmap_url?: string; management_url?: string });

/**
 * Pure: the section `mailbox` of a brain manifest; null where there is none, or its transport is `none`.
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

/** @param path of a brain manifest; null where it is not there. @throws {UnusableFile} */
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
