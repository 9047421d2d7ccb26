import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planCleanup } from '../../../../../src/mail/filesystem/admin/cleanup.js';
import { entryPath, mailPaths } from '../../../../../src/mail/filesystem/root/mail-paths.js';
import type { RegistrationRow } from '../../../../../src/mail/filesystem/tables/registration-table.js';

const paths = mailPaths('/mail');
const now = new Date('2026-03-01T00:00:00Z');
const rowOf = (changes: Partial<RegistrationRow>): RegistrationRow => {
  const address = changes.address ?? 'a@x';
  return {
    ...{ registration_id: 'reg-1', address, owner_principal_id: 'a', status: 'inactive' },
    ...{ mailbox_kind: 'in_root', mailbox_path: entryPath(paths, address) },
    ...{ mailbox_entry_path: entryPath(paths, address), display_name: null, manifest_path_hint: null },
    ...{ role: null, created_at_utc: '2026-02-01T00:00:00Z', deactivated_at_utc: '2026-02-28T23:00:00Z' },
    ...{ replaced_by_registration_id: null, ...changes },
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

test('no folder goes that a registration which stays has, too', () => {
  const anyRow = fc.record({
    address: fc.constantFrom('a@x', 'b@x'),
    status: fc.constantFrom('active' as const, 'inactive' as const, 'stashed' as const),
    deactivated_at_utc: fc.constantFrom('2026-02-28T23:00:00Z', '2026-02-28T23:59:59Z', null),
  });
  fc.assert(
    fc.property(fc.array(anyRow), fc.nat(7200), fc.nat(7200), (changes, inactiveSeconds, stashedSeconds) => {
      const items = planCleanup(changes.map(rowOf), paths, { now, inactiveSeconds, stashedSeconds });
      const kept = items.filter(({ fate }) => fate !== 'remove').map(({ row }) => row.mailbox_entry_path);
      for (const { fate, withEntry, row } of items)
        if (fate === 'remove') expect(withEntry).toBe(!kept.includes(row.mailbox_entry_path));
    }),
  );
});
