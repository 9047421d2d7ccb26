import { existsSync, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../../../foundation/atomic-file.js';
import { namesIn } from '../../../foundation/folders.js';
import { makeFolder } from '../../../foundation/make-folder.js';
import { MailFault } from '../../message/mail-fault.js';
import { protocolVersion } from '../../message/mail-message.js';
import { operator } from '../../message/operator-message.js';
import { standsInPlace } from '../mailbox/active-mailbox.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { seedStates } from '../mailbox/seed-states.js';
import { isOfOneMailbox } from '../root/faults.js';
import { checkRoot, entryPath, foldersOf, type MailPaths } from '../root/mail-paths.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import { isUnused } from './entry-on-disk.js';
import { register } from './register.js';

/** Other users can read the files, as far as the umask lets them. */
const sharedFile = { mode: 0o666 };

/**
 * Makes a root, or the missing parts of one, with the operator's mailbox; and fills the empty databases of mailboxes. It may run
 * again at any time, also in two processes at once.
 * @throws {MailFault} `root_unusable` where something of another format is there; nothing is changed then.
 */
export const bootstrap = (root: MailRoot): Promise<void> => root.attempt(() => make(root));

async function make(root: MailRoot): Promise<void> {
  const { paths, index, locks } = root;
  await root.free(() => checkRoot(paths, index.database));
  await checkNothingLost(root);
  // Mail is for its owner only, unless a user who shares it opens the root to others.
  makeFolder(paths.root, 0o700);
  for (const folder of foldersOf(paths)) makeFolder(folder);
  // Two processes that begin at the same time write the same text.
  if (!existsSync(paths.marker)) writeFileAtomic(paths.marker, `${protocolVersion}\n`, sharedFile);
  writeRules(paths);
  await locks.recoverLeft();
  await root.free(() => index.database.create());
  await register(root, {
    mode: 'safe',
    kind: 'in_root',
    mailboxPath: null,
    address: operator.address,
    ownerPrincipalId: operator.principalId,
    displayName: operator.displayName,
    manifestPathHint: operator.manifestPathHint,
    role: operator.role,
  }).catch(notDone);
  for (const row of await root.free(() => index.registrations.all()))
    if (row.status === 'active') await seedIfUsable(root, row);
}

/** The work that needs the root is not done, though the operator is registered: the next bootstrap continues from there. */
function notDone(error: unknown): never {
  if (!(error instanceof MailFault) || error.code !== 'state_late') throw error;
  throw new MailFault('mailbox_damaged', error.message, { cause: error });
}

/** Skips what is wrong with one mailbox: it is reported to the users of that mailbox, and does not concern the others. */
async function seedIfUsable(root: MailRoot, row: RegistrationRow): Promise<void> {
  try {
    if (standsInPlace(root.paths, row)) await seedStates(root, row);
  } catch (error) {
    if (!isOfOneMailbox(error)) throw error;
  }
}

/**
 * Refuses an index without any mailbox beside mailboxes that exist: a new one would hide that their rows are lost,
 * which a repair has to restore.
 */
async function checkNothingLost(root: MailRoot): Promise<void> {
  const { paths, index } = root;
  // The folders are read first and then the index, so that a process that is making the root now is not
  // taken for one that lost its index.
  const found = namesIn(paths.mailboxes).find((name) => !isUnused(entryPath(paths, name)));
  if (found === undefined) return;
  const isKnown =
    lstatSync(paths.index, { throwIfNoEntry: false }) !== undefined &&
    (await root.free(() => index.registrations.all().length > 0));
  if (!isKnown)
    throw new MailFault(
      'mailbox_damaged',
      `${paths.index}: knows no mailbox, but there is ${entryPath(paths, found)}; run \`mailbox repair\` first`,
    );
}

/**
 * Writes the missing files of `rules/`. Those of the older implementation stay: they describe how it works, and name its scripts.
 */
function writeRules({ rules }: MailPaths): void {
  for (const [name, text] of Object.entries(rulesTexts)) {
    const path = join(rules, name);
    makeFolder(dirname(path));
    if (!existsSync(path)) writeFileAtomic(path, text, sharedFile);
  }
}

/** Files of `rules/` by their path: the older implementation requires the first two, with any content. */
const rulesTexts: Readonly<Record<string, string>> = {
  'README.md': `# This mailbox

Agents exchange messages here. Use the mail commands or the gateway's \`/v1/mail/*\` routes: they lock, write the message
file and keep the databases in step. Do not edit files below this folder by hand.
`,
  'protocols/filesystem-mailbox-v1.md': `# Files of a mailbox root, protocol version 3

* \`messages/<day>/<id>.md\`: one file per message, front matter and body. It is written once and never changed.
* \`mailboxes/<address>/\`: \`inbox\`, \`sent\`, \`archive\`, \`drafts\` and further boxes, with links to messages;
  \`mailbox.sqlite\` knows what was read, answered and moved.
* \`index.sqlite\`: registrations, messages, recipients, attachments and links. Journal mode is DELETE.
* \`locks/\`: address locks in the order of their names, then \`index.lock\`. A file means held.
* \`staging/\`: documents before their delivery.
`,
  'skills/README.md': `# Skills

Skills for mail are installed where an agent's tool looks for them, not here.
`,
};
