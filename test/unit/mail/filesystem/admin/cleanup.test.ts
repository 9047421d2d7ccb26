import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cleanUp, planCleanup } from '../../../../../src/mail/filesystem/admin/cleanup.js';
import { deregister } from '../../../../../src/mail/filesystem/registration/deregister.js';
import { entryPath, mailPaths } from '../../../../../src/mail/filesystem/root/mail-paths.js';
import type { RegistrationRow } from '../../../../../src/mail/filesystem/tables/registration-table.js';
import { operator } from '../../../../../src/mail/message/operator-message.js';
import {
  addressOf,
  mailOf,
  newRoot,
  principalOf,
  registerName,
  send,
  subjectsOf,
} from '../../../../support/mail/mail-root.js';

const paths = mailPaths('/mail');
const now = new Date('2026-03-01T00:00:00Z');
const rowOf = (changes: Partial<RegistrationRow>): RegistrationRow => {
  const address = changes.address ?? 'a@x';
  return {
    registration_id: 'reg-1',
    address,
    owner_principal_id: 'a',
    status: 'inactive',
    mailbox_kind: 'in_root',
    mailbox_path: entryPath(paths, address),
    mailbox_entry_path: entryPath(paths, address),
    display_name: null,
    manifest_path_hint: null,
    role: null,
    created_at_utc: '2026-02-01T00:00:00Z',
    deactivated_at_utc: '2026-02-28T23:00:00Z',
    replaced_by_registration_id: null,
    ...changes,
  };
};
const fateOf = (changes: Partial<RegistrationRow>, seconds = 0) =>
  planCleanup([rowOf(changes)], paths, { now, inactiveSeconds: seconds, stashedSeconds: seconds })[0]?.fate;

describe('what becomes of a registration', () => {
  test('it goes when it is over for as long as it was asked for', () => {
    expect([fateOf({}, 3600), fateOf({}, 3601)]).toEqual(['remove', 'keep']);
    expect([fateOf({ status: 'stashed' }, 3600), fateOf({ status: 'stashed' }, 3601)]).toEqual([
      'remove',
      'keep',
    ]);
  });

  test('where nobody noted the end, the beginning counts; a time that cannot be read is old', () => {
    const beginning = { deactivated_at_utc: null };
    expect([fateOf(beginning, 28 * 86_400), fateOf(beginning, 28 * 86_400 + 1)]).toEqual(['remove', 'keep']);
    expect(fateOf({ deactivated_at_utc: 'yesterday' }, 1e9)).toBe('remove');
  });

  test('an active one and the operator’s stay', () => {
    expect(fateOf({ status: 'active' })).toBe('keep');
    expect(fateOf({ address: 'HOUMAO-operator@houmao.localhost' })).toBe('keep');
  });

  test.each(['/elsewhere/a@x', '/mail/mailboxes/../a@x', '/mail/mailboxes', '/mail/mailboxes/deep/a@x'])(
    'one whose entry is at %s is left alone',
    (path) => {
      expect(fateOf({ mailbox_entry_path: path })).toBe('blocked');
    },
  );
});

test('what goes takes its folder with it, but not one that another registration has by now', async () => {
  const root = await newRoot(['alice', 'bob', 'carol']);
  await send(root, mailOf('alice', ['bob', 'carol'], { subject: 'Before' }));
  await registerName(root, 'bob', { mode: 'force', ownerPrincipalId: 'HOUMAO-second' });
  const to = [{ ...principalOf('bob'), principalId: 'HOUMAO-second' }];
  await send(root, { ...mailOf('alice', ['bob'], { subject: 'Since' }), to });
  const { stashed } = await registerName(root, 'carol', { mode: 'stash', ownerPrincipalId: 'HOUMAO-second' });
  await deregister(root, addressOf('alice'), 'deactivate');
  const items = await cleanUp(root, { inactiveSeconds: 0, stashedSeconds: 0, dryRun: false });
  expect(items.filter(({ fate }) => fate === 'remove')).toHaveLength(3);
  expect(await subjectsOf(root, 'bob')).toEqual(['Since']);
  expect(existsSync(stashed!.entryPath)).toBe(false);
  expect(readdirSync(root.paths.mailboxes).sort()).toEqual(
    [operator.address, addressOf('bob'), addressOf('carol')].sort(),
  );
  expect(root.index.registrations.all().map(({ status }) => status)).toEqual(['active', 'active', 'active']);
  expect(root.index.messages.ids()).toHaveLength(2);
  expect(readdirSync(root.paths.staging)).toEqual([]);
});

test('of registrations that have one folder, the last one takes it', async () => {
  const root = await newRoot(['bob']);
  await registerName(root, 'bob', { mode: 'force', ownerPrincipalId: 'HOUMAO-second' });
  await deregister(root, addressOf('bob'), 'deactivate');
  await cleanUp(root, { inactiveSeconds: 0, stashedSeconds: 0, dryRun: false });
  expect(readdirSync(root.paths.mailboxes)).toEqual([operator.address]);
  expect(root.index.registrations.ofAddress(addressOf('bob'))).toEqual([]);
});
