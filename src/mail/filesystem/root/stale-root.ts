import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../../../foundation/folders.js';
import { MailFault } from '../../message/mail-fault.js';
import { protocolVersion } from '../../message/mail-message.js';
import { parseEntryName } from '../../message/names.js';
import { foldersOf, laterFoldersOf, type MailPaths } from './mail-paths.js';
import type { SharedDatabase } from './shared-database.js';

const remedy = 'move it aside and start with an empty root';

const unusable = (path: string, reason: string): never => {
  throw new MailFault('root_unusable', `${path}: ${reason}; ${remedy}`);
};

/**
 * Checks that the root has this format, or does not exist yet. The older implementation checks the same before every operation,
 * so a root that fails here is of no use to it either.
 * @throws {MailFault} `root_unusable`
 */
export function checkRoot(paths: MailPaths, index: SharedDatabase): void {
  checkFolders(paths);
  if (lstatSync(paths.index, { throwIfNoEntry: false }) && hasPrincipals(index))
    unusable(paths.index, 'has a table of an older format');
}

/** Checks the same without reading the index. */
export function checkFolders(paths: MailPaths): void {
  checkIsFolder(paths);
  for (const folder of [...foldersOf(paths), ...laterFoldersOf(paths)])
    if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
      unusable(folder, 'is not a folder, or a link that may lead out of the root');
  const principals = join(paths.locks, 'principals');
  if (existsSync(principals)) unusable(principals, 'is of an older format');
  if (statSync(paths.marker, { throwIfNoEntry: false })) checkMarker(paths);
  for (const name of namesIn(paths.mailboxes))
    if (parseEntryName(name) === null) unusable(join(paths.mailboxes, name), 'is not a mailbox');
}

function checkIsFolder({ root }: MailPaths): void {
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new MailFault('root_unusable', `${root}: is not a folder; name another one`);
}

/** Makes the fault that no root is there, with the remedies for both cases: there was one, or there was none yet. */
export const noRoot = ({ root }: MailPaths): MailFault =>
  new MailFault(
    'root_missing',
    `${root}: is not a mailbox root; restore it if it was moved or its disk is not mounted; if there was none yet, \`mailbox init\` creates one`,
  );

/** @throws {MailFault} where there is no root yet, or not one of this format. */
export function requireRoot(paths: MailPaths, index: SharedDatabase): void {
  checkIsFolder(paths);
  if (!statSync(paths.marker, { throwIfNoEntry: false })) throw noRoot(paths);
  if (!lstatSync(paths.index, { throwIfNoEntry: false }))
    throw new MailFault('root_missing', `${paths.root}: has no index.sqlite; run \`mailbox repair\` for it`);
  checkRoot(paths, index);
}

function checkMarker({ marker }: MailPaths): void {
  const text = readFileSync(marker, 'utf8').trim();
  if (text !== String(protocolVersion))
    unusable(marker, `says ${JSON.stringify(text.slice(0, 40))}, not ${protocolVersion}`);
}

const hasPrincipals = (index: SharedDatabase): boolean =>
  index.readOnly("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'principals'").length > 0;
