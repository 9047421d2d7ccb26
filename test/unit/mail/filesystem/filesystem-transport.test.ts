import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../../../src/foundation/clock.js';
import { FilesystemTransport } from '../../../../src/mail/filesystem/filesystem-transport.js';
import { openMailRoot } from '../../../../src/mail/filesystem/open-mail-root.js';
import { bootstrap } from '../../../../src/mail/filesystem/registration/bootstrap.js';
import { addressOf, registerName } from '../../../support/mail/mail-root.js';
import { testMailTransport } from '../../../support/mail/transport-conformance.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

// Made in a hook, it would never be removed.
const folder = temporaryFolder();

/** Whose seconds are over sooner. */
const fastClock: Clock = {
  ...systemClock,
  monotonic: () => systemClock.monotonic() * 50,
  sleep: (ms, signal) => systemClock.sleep(ms / 50, signal),
};

async function twoMailboxes() {
  const path = join(mkdtempSync(join(folder, 'transport-')), 'root');
  const root = openMailRoot(path, systemClock);
  await bootstrap(root);
  for (const name of ['alice', 'bob']) await registerName(root, name);
  root.close();
  const { paths } = root;
  const open = (name: string, clock = systemClock): FilesystemTransport =>
    new FilesystemTransport(openMailRoot(path, clock), {
      ...{ address: addressOf(name), principalId: `HOUMAO-${name}` },
    });
  const [alice, bob] = [open('alice'), open('bob')];
  return {
    ...{ alice, bob, addresses: { alice: addressOf('alice'), bob: addressOf('bob') } },
    damage: (ref: string) => {
      const file = `${ref.slice('filesystem:'.length)}.md`;
      for (const day of readdirSync(paths.messages))
        if (existsSync(join(paths.messages, day, file)))
          writeFileSync(join(paths.messages, day, file), 'torn');
    },
    whileHeld: async (
      work: (both: { alice: FilesystemTransport; bob: FilesystemTransport }) => Promise<void>,
    ) => {
      const lock = join(paths.addressLocks, `${addressOf('bob')}.lock`);
      const impatient = { alice: open('alice', fastClock), bob: open('bob', fastClock) };
      writeFileSync(lock, `pid=${process.pid} acquired_at_utc=2026-01-01T00:00:00+00:00\n`, { flag: 'wx' });
      try {
        await work(impatient);
      } finally {
        rmSync(lock);
        for (const transport of Object.values(impatient)) transport.close();
      }
    },
    close: async () => {
      for (const transport of [alice, bob]) transport.close();
    },
  };
}

testMailTransport('filesystem', twoMailboxes);
