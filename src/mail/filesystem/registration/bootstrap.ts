import { existsSync, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../../../foundation/atomic-file.js';
import { namesIn } from '../../../foundation/folders.js';
import { makeFolder } from '../../../foundation/make-folder.js';
import { MailFault } from '../../message/mail-fault.js';
import { protocolVersion } from '../../message/mail-message.js';
import { operator } from '../../message/operator-message.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { standsInPlace } from '../mailbox/mailbox-folder.js';
import { seedStates } from '../mailbox/seed-states.js';
import { isOfOneMailbox } from '../root/faults.js';
import { entryPath, foldersOf, type MailPaths } from '../root/mail-paths.js';
import { checkRoot } from '../root/stale-root.js';
import { whenFree } from '../root/when-free.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import { isUnused } from './entry-on-disk.js';
import { register } from './register.js';

/** Others read them, as far as the umask lets them. */
const sharedFile = { mode: 0o666 };

/**
 * Makes a root, or what is missing of one, with the operator's mailbox; and fills the databases of mailboxes that know
 * nothing. It may run again at any time, also in two processes at once.
 * @throws {MailFault} `root_unusable` where something of another format is there; nothing is changed then.
 */
export const bootstrap = (root: MailRoot): Promise<void> => root.attempt(() => make(root));

async function make(root: MailRoot): Promise<void> {
  const { paths, index, clock, locks } = root;
  await whenFree(clock, paths.index, () => checkRoot(paths, index.database));
  await checkNothingLost(root);
  // Mail is for its owner alone, unless somebody who shares it with others opens the root to them.
  makeFolder(paths.root, 0o700);
  for (const folder of foldersOf(paths)) makeFolder(folder);
  // Two processes that begin at once write the same.
  if (!existsSync(paths.marker)) writeFileAtomic(paths.marker, `${protocolVersion}\n`, sharedFile);
  writeRules(paths);
  await locks.recoverLeft();
  await whenFree(clock, paths.index, () => index.database.create());
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
  for (const row of await whenFree(clock, paths.index, () => index.registrations.all()))
    if (row.status === 'active') await seedIfUsable(root, row);
}

/** What whoever needs the root was to do is not done, though the operator is registered: the next one goes on from there. */
function notDone(error: unknown): never {
  if (!(error instanceof MailFault) || error.code !== 'state_late') throw error;
  throw new MailFault('mailbox_damaged', error.message, { cause: error });
}

/** What is wrong with one mailbox is told to whoever uses it, and is nothing to the others. */
async function seedIfUsable(root: MailRoot, row: RegistrationRow): Promise<void> {
  try {
    if (standsInPlace(root.paths, row)) await seedStates(root, row);
  } catch (error) {
    if (!isOfOneMailbox(error)) throw error;
  }
}

/**
 * An index that knows no mailbox, made beside mailboxes that are there, would hide that they are lost: that is for a repair
 * to mend.
 */
async function checkNothingLost({ paths, index, clock }: MailRoot): Promise<void> {
  // First what is there, then the index, so that whoever makes the root at this moment is not taken for somebody who lost it.
  const found = namesIn(paths.mailboxes).find((name) => !isUnused(entryPath(paths, name)));
  if (found === undefined) return;
  const isKnown =
    lstatSync(paths.index, { throwIfNoEntry: false }) !== undefined &&
    (await whenFree(clock, paths.index, () => index.registrations.all().length > 0));
  if (!isKnown)
    throw new MailFault(
      'mailbox_damaged',
      `${paths.index}: knows no mailbox, but there is ${entryPath(paths, found)}; run \`mailbox repair\` first`,
    );
}

/** Those of the older implementation stay: they say how it works, and name its scripts. */
function writeRules({ rules }: MailPaths): void {
  for (const [name, text] of Object.entries(rulesTexts)) {
    const path = join(rules, name);
    makeFolder(dirname(path));
    if (!existsSync(path)) writeFileAtomic(path, text, sharedFile);
  }
}

/** Files of `rules/` by their path: the older implementation wants the first two, whatever is in them. */
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
