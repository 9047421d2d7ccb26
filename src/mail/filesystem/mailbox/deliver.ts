import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { newUuid } from '../../../foundation/ids.js';
import { makeFolder } from '../../../foundation/make-folder.js';
import { renderDocument } from '../../message/document.js';
import { MailFault, MailRefusal } from '../../message/mail-fault.js';
import { type MailMessage, recipientsOf } from '../../message/mail-message.js';
import { canonicalPath, type MailPaths, realPathOf } from '../root/mail-paths.js';
import { whenFree } from '../root/shared-database.js';
import {
  deliveredLate,
  indexMessage,
  makeVisible,
  type Parties,
  partiesOf,
  projectionsOf,
} from './delivery-records.js';
import type { MailRoot } from './mail-root.js';
import { takeBack } from './projection-links.js';

/**
 * Delivers a message: its file, a link in each mailbox, its rows in the index, and a row in each mailbox, in this order and under
 * the locks of all of them. The states of a delivery:
 *   staged: the document is in staging/
 *   in place: its file is in messages/, and links are in the mailboxes; a failure removes all of it again
 *   committed: the index has it: from here on the message is delivered, whatever happens
 *   visible: each mailbox has its row
 * A process that dies in between leaves its locks, and the next process that finds them brings the message to
 * `visible` (open-mail-root.ts).
 * @throws {MailRefusal} where the message breaks a rule of the format.
 * @throws {MailFault} nothing of it is left then, unless the code is `state_late`: it is delivered.
 */
export function deliver(root: MailRoot, message: MailMessage): Promise<void> {
  const addresses = [message.from, ...recipientsOf(message)].map(({ address }) => address);
  return root.work(async () => {
    const document = renderDocument(message);
    checkManaged(root.paths, message);
    const staged = stage(root.paths, document);
    let isCommitted = false;
    try {
      await root.locks.withIndex(addresses, async () => {
        const parties = await whenFree(root.clock, root.paths.root, () => newPartiesOf(root, message));
        await commit(root, message, { document, staged, parties });
        isCommitted = true;
        await makeVisible(root, message, parties);
      });
    } catch (error) {
      throw isCommitted ? deliveredLate(message.messageId, error as Error) : error;
    } finally {
      if (!isCommitted) rmSync(staged, { force: true });
    }
  });
}

/** Checks that a copy that the root keeps is in the folder of its id, and nowhere else. */
function checkManaged({ managedAttachments }: MailPaths, { attachments }: MailMessage): void {
  for (const [index, { kind, path, attachmentId }] of attachments.entries()) {
    const folder = join(managedAttachments, attachmentId);
    if (kind === 'managed_copy' && (dirname(folder) !== managedAttachments || !isOwnFile(path, folder)))
      throw new MailRefusal(`attachments[${index}].path`, `must be a file in ${managedAttachments}`);
  }
}

const isOwnFile = (path: string, folder: string): boolean =>
  dirname(path) === folder &&
  realPathOf(path) === path &&
  lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;

function newPartiesOf(root: MailRoot, message: MailMessage): Parties {
  if (root.index.messages.place(message.messageId))
    throw new MailFault('message_exists', `${message.messageId} was delivered already`);
  return partiesOf(root, message);
}

async function commit(
  root: MailRoot,
  message: MailMessage,
  { document, staged, parties }: { document: string; staged: string; parties: Parties },
): Promise<void> {
  const path = canonicalPath(root.paths, message);
  const projections = projectionsOf(message.messageId, parties);
  const undo: (() => void)[] = [];
  try {
    placeFile(staged, path);
    undo.push(() => renameSync(path, staged));
    syncFolder(dirname(path));
    for (const { projection_path: link } of projections) {
      symlinkSync(path, link);
      undo.push(() => rmSync(link, { force: true }));
    }
    await root.free(() =>
      root.index.database.transact(() =>
        indexMessage(root, message, { document, path, parties, projections }),
      ),
    );
  } catch (error) {
    takeBack(undo);
    // The id of an attachment, which is unique in the root.
    if ((error as { code?: string }).code === 'SQLITE_CONSTRAINT_PRIMARYKEY')
      throw new MailFault('conflict', `an id of ${message.messageId} is taken in this root`, {
        cause: error,
      });
    throw error;
  }
}

/** @throws {MailFault} where a file is there already: a rename would replace it. */
function placeFile(staged: string, path: string): void {
  makeFolder(dirname(path));
  if (!lstatSync(dirname(path)).isDirectory())
    throw new MailFault('root_unusable', `${dirname(path)}: is not a folder, or a link`);
  if (lstatSync(path, { throwIfNoEntry: false }))
    throw new MailFault('message_exists', `${path}: a message is already there`);
  renameSync(staged, path);
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Writes a document beside the messages, on the same file system, and syncs it to disk, so that its file appears in one step.
 * @returns its path.
 * @throws the system's error; nothing is left then.
 */
export function stage({ staging }: MailPaths, document: string): string {
  const path = join(staging, `gateway-${newUuid().replaceAll('-', '').slice(0, 12)}.md`);
  const file = openSync(path, 'wx');
  try {
    writeFileSync(file, document);
    fsyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return path;
}
