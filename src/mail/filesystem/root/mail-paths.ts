import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { namesIn } from '../../../foundation/folders.js';
import { MailFault } from '../../message/mail-fault.js';
import { protocolVersion } from '../../message/mail-message.js';
import { toCompactMailStamp } from '../../message/message-id.js';
import { parseEntryName } from '../../message/names.js';
import type { SharedDatabase } from './shared-database.js';

/** The paths below a mailbox root. All are absolute and real: other programs compare them as strings. */
export interface MailPaths {
  root: string;
  marker: string;
  index: string;
  rules: string;
  locks: string;
  addressLocks: string;
  /** Files that say which process holds a lock; only our programs use them. */
  holders: string;
  messages: string;
  managedAttachments: string;
  mailboxes: string;
  staging: string;
  quarantine: string;
}

/** @param root a real path ({@link realPathOf}). */
export const mailPaths = (root: string): MailPaths => ({
  root,
  marker: join(root, 'protocol-version.txt'),
  index: join(root, 'index.sqlite'),
  rules: join(root, 'rules'),
  locks: join(root, 'locks'),
  addressLocks: join(root, 'locks', 'addresses'),
  holders: join(root, 'locks', 'holders'),
  messages: join(root, 'messages'),
  managedAttachments: join(root, 'attachments', 'managed'),
  mailboxes: join(root, 'mailboxes'),
  staging: join(root, 'staging'),
  quarantine: join(root, 'staging', 'quarantine'),
});

/** Returns the folders that every root has, each after its parent. */
export const foldersOf = (paths: MailPaths): string[] => [
  ...[paths.locks, paths.addressLocks, paths.messages, dirname(paths.managedAttachments)],
  ...[paths.managedAttachments, paths.mailboxes, paths.staging, paths.rules],
  ...['protocols', 'scripts', 'skills'].map((name) => join(paths.rules, name)),
];

/** Returns the folders that are made when they are needed. */
export const laterFoldersOf = ({ holders, quarantine }: MailPaths): string[] => [holders, quarantine];

export const entryPath = (paths: MailPaths, name: string): string => join(paths.mailboxes, name);

/** Returns the path of a message's file. Its folder follows the time in the message, not the one in its id. */
export const canonicalPath = (
  paths: MailPaths,
  { messageId, createdAtUtc }: { messageId: string; createdAtUtc: string },
): string => join(paths.messages, createdAtUtc.slice(0, 10), `${messageId}.md`);

export const projectionPath = (mailboxPath: string, box: string, messageId: string): string =>
  join(mailboxPath, box, `${messageId}.md`);

export const standardBoxes = ['inbox', 'sent', 'archive', 'drafts'] as const;

/** Returns the real path, also of something that does not exist yet: links are followed in the part that exists. */
export function realPathOf(path: string): string {
  let existing = resolve(path);
  const tail: string[] = [];
  for (;;) {
    try {
      return join(realpathSync(existing), ...tail);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(existing) === existing) throw error;
      // A link whose target does not exist yet: a file made through it would be at its target.
      const target = linkTarget(existing);
      if (target === null) tail.unshift(basename(existing));
      existing = target ?? dirname(existing);
    }
  }
}

/** Returns the target of a symlink, as an absolute path; null for anything else. */
export function linkTarget(path: string): string | null {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return null;
  return resolve(dirname(path), readlinkSync(path));
}

/** Decides whether a path is below a folder, by places and not by text: `..` in a path leads out. */
export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Returns an unused name beside a file that cannot be used, under which the file is kept. @param why a part of the name. */
export function backupPath(path: string, why: string, now: Date): string {
  const stamp = toCompactMailStamp(now);
  for (let count = 0; ; count += 1) {
    const name = `${path}.${why}-${stamp}${count === 0 ? '' : `-${count}`}.bak`;
    if (!lstatSync(name, { throwIfNoEntry: false })) return name;
  }
}

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

/** Whether a mailbox root is there, of whatever format and in whatever state. @param path a real path */
export const isMailRoot = (path: string): boolean => existsSync(mailPaths(path).marker);

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
