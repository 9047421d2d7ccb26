import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { create, extract, list, type ReadEntry } from 'tar';
import { UnusableFile } from '../../foundation/faults.js';
import { newUuid } from '../../foundation/ids.js';
import { Closed, jsonFile, OptionalText, Text } from '../../session/file-schema.js';

export const contentsName = 'houmao-backup.json';
/** The folder of an agent's files in an archive. */
export const folderOf = (agentId: string): string => `agents/${agentId}`;

const remedy = 'name an archive that houmao-mgr backup wrote, and that was copied whole';
const ContentsSchema = Closed({
  schema_version: Type.Literal(1),
  version: Text,
  created_at_utc: Text,
  home: Text,
  agents: Type.Array(
    Closed({
      agent_name: Text,
      agent_id: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$' }),
      backend: Text,
      session_id: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$' }),
      session_root: Text,
      mailbox: OptionalText,
      secrets: Type.Array(Text),
    }),
  ),
});
/** `houmao-backup.json`: the contents of an archive. */
export type BackupContents = Static<typeof ContentsSchema>;
export type SavedAgent = BackupContents['agents'][number];
const contentsFile = jsonFile(ContentsSchema, remedy);

/** Packs a folder. A file of that name is not replaced, and half an archive never has its name. @throws the file system's error. */
export async function packArchive(file: string, folder: string): Promise<void> {
  const temporary = `${file}.${newUuid()}.tmp`;
  try {
    await create({ file: temporary, cwd: folder, gzip: true, portable: true, strict: true, mode: 0o600 }, [
      contentsName,
      'agents',
    ]);
    if (existsSync(file)) throw new UnusableFile(file, 'it exists', 'name a file that does not exist');
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Pure: returns the reason why an entry is not one of ours; null when it is. */
export function strangeEntry(path: string, type: string): string | null {
  if (type !== 'File' && type !== 'Directory') return `${path} is neither a file nor a folder (${type})`;
  const parts = path.replace(/\/$/, '').split('/');
  const isInside =
    parts.every((part) => part !== '' && part !== '.' && part !== '..') && !path.includes('\\');
  return isInside && (path === contentsName || parts[0] === 'agents')
    ? null
    : `${path} would lie outside of its folder`;
}

/**
 * Reads an archive to its end, and writes nothing.
 * @throws {UnusableFile} when it is cut, damaged, not ours, or has an entry that would lie elsewhere.
 */
export async function readContents(file: string): Promise<BackupContents> {
  const strange: string[] = [];
  let text = '';
  const look = (entry: ReadEntry): void => {
    const trouble = strangeEntry(entry.path, entry.type);
    if (trouble !== null) strange.push(trouble);
    if (entry.path === contentsName)
      entry.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
      });
  };
  try {
    await list({ file, strict: true, onReadEntry: look });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UnusableFile(
      file,
      code === 'ENOENT' ? 'does not exist' : `is not a whole archive (${message})`,
      remedy,
    );
  }
  if (strange[0] !== undefined) throw new UnusableFile(file, strange[0], remedy);
  if (text === '') throw new UnusableFile(file, `has no ${contentsName}`, remedy);
  return contentsFile.parse(file, text);
}

/** Unpacks the files of an agent. @throws {UnusableFile} when the archive has none. */
export async function unpackAgent(file: string, { agent_id }: SavedAgent, folder: string): Promise<string> {
  const root = folderOf(agent_id);
  await extract({
    file,
    cwd: folder,
    strict: true,
    preserveOwner: false,
    filter: (path) => path === root || path.startsWith(`${root}/`),
  });
  const unpacked = join(folder, root);
  if (!existsSync(join(unpacked, 'manifest.json')))
    throw new UnusableFile(file, `has no files of ${agent_id}`, remedy);
  return unpacked;
}
