// Which files of a message the bridge passes on. The path of a file in a folder mailbox is its sender's word, and a program that may write
// to the folder may write in anybody's name: so it is no reason to hand out what the bridge can read.
import { realpathSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';

/** For a call that carries files: a gateway gives a large one more than a minute. */
export const timeoutMs = 180_000;

/** The errors that say that a file cannot be had, and not that there is no time for it now. */
const gone = new Set([
  'EACCES',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOENT',
  'ENOTDIR',
  'EPERM',
  'ERR_INVALID_ARG_VALUE',
]);

/** Null for a path that leads to no file. */
function realPath(path) {
  try {
    return realpathSync(path);
  } catch (error) {
    if (gone.has(error.code)) return null;
    throw error;
  }
}

function isBelow(folder, path) {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Whether the gateway refused because of this file: any other refusal is of now, and the file goes later. */
function isUnreadable({ status, detail }, path) {
  if (status !== 502 || typeof detail !== 'string') return false;
  if (detail.endsWith(`: ${path} must be a regular file`)) return true;
  const [, code] = /^\((\w+)\)$/.exec(detail.split(`: ${path} cannot be read `).at(-1)) ?? [];
  return gone.has(code);
}

/** Where a file of a folder mailbox can be read, if it may be passed on: in one of the folders, and as it was attached. */
async function allowedFile({ locator }, folders, fetched) {
  const path = realPath(locator);
  if (path === null || !folders.some((folder) => isBelow(folder, path))) return null;
  try {
    const file = await fetched();
    return file.path === locator && file.unchanged === true ? path : null;
  } catch (error) {
    if (isUnreadable(error, locator)) return null;
    throw error;
  }
}

/**
 * Where the files of a message can be read on this machine, and the names of those that stay behind. A mail server has its files
 * itself, and they all go. @param folders real paths.
 */
export async function filesOf({ message_ref, attachments }, { client }, folders) {
  const [files, behind] = [[], []];
  for (const attachment of attachments) {
    const { attachment_id, label, kind } = attachment;
    const name = label ?? attachment_id;
    const fetched = () => client.fetchMailAttachment({ body: { message_ref, attachment_id }, timeoutMs });
    const path =
      kind === 'transport_owned' ? (await fetched()).path : await allowedFile(attachment, folders, fetched);
    if (path === null) behind.push(name);
    else files.push({ path, label: name });
  }
  return { files, behind };
}
