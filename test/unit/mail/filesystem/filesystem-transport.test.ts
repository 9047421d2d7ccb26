import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../../src/foundation/clock.js';
import { FilesystemTransport } from '../../../../src/mail/filesystem/filesystem-transport.js';
import { openMailRoot } from '../../../../src/mail/filesystem/open-mail-root.js';
import { bootstrap } from '../../../../src/mail/filesystem/registration/bootstrap.js';
import { addressOf, registerName } from '../../../support/mail/mail-root.js';
import { testMailTransport } from '../../../support/mail/transport-conformance.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

// Made in a hook, it would never be removed.
const folder = temporaryFolder();

async function twoMailboxes() {
  const path = join(mkdtempSync(join(folder, 'transport-')), 'root');
  const root = openMailRoot(path, systemClock);
  await bootstrap(root);
  for (const name of ['alice', 'bob']) await registerName(root, name);
  root.close();
  const open = (name: string): FilesystemTransport =>
    new FilesystemTransport(openMailRoot(path, systemClock), {
      ...{ address: addressOf(name), principalId: `HOUMAO-${name}` },
    });
  const [alice, bob] = [open('alice'), open('bob')];
  return {
    ...{ alice, bob, addresses: { alice: addressOf('alice'), bob: addressOf('bob') } },
    close: async () => {
      for (const transport of [alice, bob]) transport.close();
    },
  };
}

testMailTransport('filesystem', twoMailboxes);
