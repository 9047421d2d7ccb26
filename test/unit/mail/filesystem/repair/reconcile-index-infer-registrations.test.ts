import { expect, test } from 'vitest';
import { inferRegistrations } from '../../../../../src/mail/filesystem/repair/reconcile-index.js';
import { plainPrincipal } from '../../../../../src/mail/message/mail-message.js';
import { operator } from '../../../../../src/mail/message/operator-message.js';

const now = '2026-01-01T00:00:00Z';
const infer = (name: string, target: string | null = null) =>
  inferRegistrations(
    [{ name, path: `/m/mailboxes/${name}`, target }],
    new Map([['bob@x', plainPrincipal('robert', 'bob@x')]]),
    now,
  )[0];

test('the owner is whom messages name, else who has the address by default', () => {
  expect(infer('bob@x')).toMatchObject({
    owner_principal_id: 'robert',
    status: 'active',
    mailbox_kind: 'in_root',
  });
  expect(infer('alice@x')).toMatchObject({ owner_principal_id: 'HOUMAO-alice', role: null });
  expect(infer('HOUMAO-gpu@x')).toMatchObject({ owner_principal_id: 'HOUMAO-gpu' });
  expect(infer(operator.address)).toMatchObject({
    owner_principal_id: operator.principalId,
    role: operator.role,
  });
});

test('a mailbox that was set aside does not come back as an address of its own', () => {
  const name = `bob@x--${'0'.repeat(32)}`;
  expect(infer(name)).toMatchObject({
    address: 'bob@x',
    status: 'stashed',
    mailbox_entry_path: `/m/mailboxes/${name}`,
    deactivated_at_utc: now,
  });
});

test('a link is a private mailbox; a foreign name is none', () => {
  expect(infer('bob@x', '/private')).toMatchObject({
    mailbox_kind: 'symlink',
    mailbox_path: '/private',
    mailbox_entry_path: '/m/mailboxes/bob@x',
  });
  expect(infer('.DS_Store')).toBeUndefined();
});
