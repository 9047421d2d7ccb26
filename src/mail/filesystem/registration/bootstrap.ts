import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../../../foundation/atomic-file.js';
import { protocolVersion } from '../../message/mail-message.js';
import { operator } from '../../message/operator-message.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { seedStates } from '../mailbox/seed-states.js';
import { foldersOf, type MailPaths } from '../root/mail-paths.js';
import { checkRoot } from '../root/stale-root.js';
import { whenFree } from '../root/when-free.js';
import { register } from './register.js';
import { rulesTexts } from './rules-texts.js';

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
  for (const folder of [paths.root, ...foldersOf(paths)]) mkdirSync(folder, { recursive: true });
  for (const name of ['protocols', 'scripts', 'skills'])
    mkdirSync(join(paths.rules, name), { recursive: true });
  // Two processes that begin at once write the same.
  if (!existsSync(paths.marker)) writeFileAtomic(paths.marker, `${protocolVersion}\n`, sharedFile);
  writeRules(paths);
  await locks.recoverLeft();
  await whenFree(clock, paths.index, () => index.database.create());
  await register(root, {
    ...{ mode: 'safe', kind: 'in_root', mailboxPath: null, address: operator.address },
    ...{ ownerPrincipalId: operator.principalId, displayName: operator.displayName },
    ...{ manifestPathHint: operator.manifestPathHint, role: operator.role },
  });
  for (const row of index.registrations.all())
    if (row.status === 'active' && existsSync(row.mailbox_path)) await seedStates(root, row);
}

function writeRules({ rules }: MailPaths): void {
  for (const [name, text] of Object.entries(rulesTexts)) {
    const path = join(rules, name);
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileAtomic(path, text, sharedFile);
  }
}
