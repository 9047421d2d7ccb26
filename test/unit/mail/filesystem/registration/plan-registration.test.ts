import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  planRegistration,
  type RegistrationFacts,
  type RegistrationRequest,
} from '../../../../../src/mail/filesystem/registration/plan-registration.js';
import type { RegistrationRow } from '../../../../../src/mail/filesystem/tables/registration-table.js';

const entryPath = '/r/mailboxes/a@b';
const rowOf = (changes: Partial<RegistrationRow>): RegistrationRow => ({
  registration_id: 'reg-1',
  address: 'a@b',
  owner_principal_id: 'p',
  status: 'active',
  mailbox_kind: 'in_root',
  mailbox_path: entryPath,
  mailbox_entry_path: entryPath,
  display_name: null,
  manifest_path_hint: null,
  role: null,
  created_at_utc: '2026-01-01T00:00:00Z',
  deactivated_at_utc: null,
  replaced_by_registration_id: null,
  ...changes,
});
const requestOf = (changes: Partial<RegistrationRequest> = {}): RegistrationRequest => ({
  mode: 'safe',
  address: 'a@b',
  ownerPrincipalId: 'p',
  kind: 'in_root',
  mailboxPath: entryPath,
  entryPath,
  displayName: null,
  manifestPathHint: null,
  role: null,
  ...changes,
});
const nothing: RegistrationFacts = { active: undefined, atEntry: [], atPath: undefined, onDisk: 'nothing' };

test('an inactive row of the same second that was replaced is not the newest', () => {
  const old = rowOf({
    registration_id: 'reg-z',
    status: 'inactive',
    owner_principal_id: 'q',
    replaced_by_registration_id: 'reg-1',
  });
  const last = rowOf({ status: 'inactive' });
  expect(planRegistration(requestOf(), { ...nothing, atEntry: [old, last], onDisk: 'occupied' })).toEqual({
    do: 'reactivate',
    row: last,
  });
});

const row = fc
  .record({
    registration_id: fc.constantFrom('reg-1', 'reg-2'),
    owner_principal_id: fc.constantFrom('p', 'q'),
    status: fc.constantFrom('active' as const, 'inactive' as const),
    mailbox_kind: fc.constantFrom('in_root' as const, 'symlink' as const),
    mailbox_path: fc.constantFrom(entryPath, '/private'),
  })
  .map(rowOf);
const facts = fc
  .record({
    rows: fc.uniqueArray(row, { maxLength: 2, selector: (each) => each.registration_id }),
    onDisk: fc.constantFrom('nothing' as const, 'usable' as const, 'occupied' as const),
  })
  .filter(({ rows }) => rows.filter(({ status }) => status === 'active').length < 2)
  .map(
    ({ rows, onDisk }): RegistrationFacts => ({
      active: rows.find(({ status }) => status === 'active'),
      atEntry: rows,
      atPath: undefined,
      onDisk,
    }),
  );
const request = fc
  .record({
    mode: fc.constantFrom('safe' as const, 'force' as const, 'stash' as const),
    ownerPrincipalId: fc.constantFrom('p', 'q'),
  })
  .map(requestOf);

test('safe takes nothing away, and force and stash never refuse', () => {
  fc.assert(
    fc.property(request, facts, (asked, known) => {
      const plan = planRegistration(asked, known);
      if (plan.do === 'create' && asked.mode === 'safe')
        expect([plan.replaces, plan.displaced]).toEqual([null, 'keep']);
      if (asked.mode !== 'safe') expect(plan.do).not.toBe('refuse');
      if (plan.do === 'create' && plan.displaced !== 'keep')
        expect(plan.displaced).toBe(asked.mode === 'stash' ? 'stash' : 'remove');
      if (plan.do === 'confirm' || plan.do === 'reactivate')
        expect(plan.row.owner_principal_id).toBe(asked.ownerPrincipalId);
      if (plan.do === 'confirm') expect(plan.row.status).toBe('active');
      if (known.active && plan.do === 'create') expect(plan.replaces).toBe(known.active);
    }),
    { numRuns: 1000 },
  );
});
