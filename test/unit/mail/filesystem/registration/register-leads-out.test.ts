import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { MailRoot } from '../../../../../src/mail/filesystem/mailbox/mail-root.js';
import { bootstrap } from '../../../../../src/mail/filesystem/registration/bootstrap.js';
import { deregister } from '../../../../../src/mail/filesystem/registration/deregister.js';
import { repairRoot } from '../../../../../src/mail/filesystem/repair/repair.js';
import { checkConsistent } from '../../../../support/mail/check-root.js';
import {
  addressOf,
  mailOf,
  newRoot,
  openRoot,
  registerName,
  send,
} from '../../../../support/mail/mail-root.js';
import { temporaryFolder } from '../../../../support/temporary-folder.js';

const mailboxOf = (root: MailRoot, name: string): string => join(root.paths.mailboxes, addressOf(name));

function linkTo(outside: string, path: string): void {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(outside, path);
}

test.each([
  ['the mailbox', ''],
  ['a box', 'archive'],
])(
  'a link in place of %s is refused at the next registration, and nothing is made behind it',
  async (_, box) => {
    const root = await newRoot(['alice', 'bob']);
    await deregister(root, addressOf('bob'), 'deactivate');
    const [outside, later] = [temporaryFolder(), join(temporaryFolder(), 'later')];
    for (const [name, target] of [
      ['alice', outside],
      ['bob', outside],
      ['bob', later],
    ] as const) {
      linkTo(target, join(mailboxOf(root, name), box));
      await expect(registerName(root, name)).rejects.toMatchObject({ code: 'mailbox_damaged' });
    }
    expect([readdirSync(outside), existsSync(later)]).toEqual([[], false]);
    expect(root.index.registrations.active(addressOf('bob'))).toBeUndefined();
  },
);

test('a private mailbox is not made behind a link that has taken the place of its folder', async () => {
  const root = await newRoot();
  const [folder, outside] = [join(temporaryFolder(), 'private'), temporaryFolder()];
  const asked = { kind: 'symlink', mailboxPath: folder } as const;
  await registerName(root, 'eve', asked);
  linkTo(outside, folder);
  await expect(registerName(root, 'eve', asked)).rejects.toThrow();
  expect(readdirSync(outside)).toEqual([]);
});

test.each(['locks/holders', 'rules/protocols', 'rules/skills', 'staging/quarantine'])(
  'a link in place of %s makes the root unusable, and nothing is written behind it',
  async (name) => {
    const root = await newRoot(['alice']);
    const outside = temporaryFolder();
    linkTo(outside, join(root.paths.root, name));
    const staged = join(root.paths.staging, 'old.md');
    writeFileSync(staged, 'left');
    const again = openRoot(root.paths.root);
    const unusable = { code: 'root_unusable', message: expect.stringContaining(name) };
    await expect(bootstrap(again)).rejects.toMatchObject(unusable);
    await expect(send(again, mailOf('alice', ['alice']))).rejects.toMatchObject(unusable);
    await expect(repairRoot(again, { staging: 'quarantine' })).rejects.toMatchObject(unusable);
    expect(readdirSync(outside)).toEqual([]);
  },
);

test('neither the repair of a copied root nor its bootstrap writes into the original', async () => {
  const root = await newRoot(['alice', 'bob']);
  await send(root, mailOf('alice', ['bob'], { subject: 'Plan' }));
  const path = join(temporaryFolder(), 'copy');
  cpSync(root.paths.root, path, { recursive: true, verbatimSymlinks: true });
  const copy = openRoot(path);
  const bob = root.database(mailboxOf(root, 'bob'));
  bob.database.transact(() => bob.states.deleteAll());
  const row = root.index.registrations.active(addressOf('alice'))!;
  rmSync(row.mailbox_path, { recursive: true });
  await bootstrap(copy).catch(() => undefined);
  const { damaged } = await repairRoot(copy, { staging: 'leave' });
  expect(damaged.map(({ path: at }) => at)).toEqual(expect.arrayContaining([row.mailbox_entry_path]));
  expect([existsSync(row.mailbox_path), bob.states.all()]).toEqual([false, []]);
  await repairRoot(root, { staging: 'leave' });
  checkConsistent(root);
});
