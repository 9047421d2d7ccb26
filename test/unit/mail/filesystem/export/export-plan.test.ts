import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planExport, type RootRows } from '../../../../../src/mail/filesystem/export/export-plan.js';

const name = fc.constantFrom('a', 'b@x', '..', '.', '', '../../etc', 'a/b', 'nul\0', '\\', 'inbox', '/abs');
const id = fc.constantFrom(
  ...['1', '2', '3'].map((digit) => `msg-20260313T091530Z-${digit.repeat(32)}`),
  ...['../../up', 'msg-x', ''],
);
const written = fc.constantFrom('2026-03-13T09:15:30Z', '../../../up', '', '2026');
const rows: fc.Arbitrary<RootRows> = fc.record({
  registrations: fc.uniqueArray(
    fc.record({ registration_id: name, address: name, status: fc.constantFrom('active', 'inactive') }),
    { selector: (row) => row.registration_id },
  ),
  messages: fc.uniqueArray(fc.record({ message_id: id, created_at_utc: written }), {
    selector: (row) => row.message_id,
  }),
  projections: fc.uniqueArray(fc.record({ registration_id: name, message_id: id, folder_name: name }), {
    selector: (row) => JSON.stringify(row),
  }),
  attachments: fc.array(
    fc.record({
      attachment_id: name,
      message_id: id,
      locator: name,
      kind: fc.constantFrom('managed_copy', 'path_ref'),
    }),
  ),
}) as unknown as fc.Arbitrary<RootRows>;
const selection = fc.option(fc.uniqueArray(fc.constantFrom<string>('a', 'b@x', '..')), { nil: null });

test('no name that an index has leads out of the archive, and no two files have one place', () => {
  fc.assert(
    fc.property(rows, selection, (all, addresses) => {
      const { accounts, messages, projections, attachments } = planExport(all, addresses);
      const places = [...accounts, ...messages, ...projections, ...attachments].map(({ place }) => place);
      for (const place of places)
        for (const part of place?.split('/') ?? []) expect(['', '.', '..']).not.toContain(part);
      const files = [...accounts, ...messages, ...projections].flatMap(({ place }) => place ?? []);
      expect(new Set(files).size).toBe(files.length);
    }),
    { numRuns: 500 },
  );
});

test('an account takes along what its own boxes show, and nothing of another one', () => {
  fc.assert(
    fc.property(rows, selection, (all, addresses) => {
      const plan = planExport(all, addresses);
      const of = all.registrations.filter(({ address }) => addresses === null || addresses.includes(address));
      expect(plan.accounts.map(({ row }) => row)).toEqual(of);
      const ids = of.map((row) => row.registration_id);
      const shown = all.projections
        .filter((row) => ids.includes(row.registration_id))
        .map((row) => row.message_id);
      const wanted = all.messages.filter((row) => addresses === null || shown.includes(row.message_id));
      expect(plan.messages.map(({ row }) => row)).toEqual(wanted);
      for (const { row } of [...plan.projections, ...plan.attachments])
        expect(wanted.map((one) => one.message_id)).toContain(row.message_id);
    }),
    { numRuns: 500 },
  );
});
