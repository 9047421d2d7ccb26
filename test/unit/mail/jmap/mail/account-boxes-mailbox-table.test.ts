import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MailboxTable } from '../../../../../src/mail/jmap/mail/account-boxes.js';

const stalwart = [
  { id: 'a', name: 'Inbox', role: 'inbox', parentId: null },
  { id: 'b', name: 'Deleted Items', role: 'trash', parentId: null },
  { id: 'c', name: 'Sent Items', role: 'sent', parentId: null },
  { id: 'd', name: 'Projects', role: null, parentId: null },
  { id: 'e', name: 'Gateway', parentId: 'd' },
];

test('a box with a role is named by it, another by its path', () => {
  const table = new MailboxTable(stalwart);
  const ids = ['inbox', 'trash', 'sent', 'Projects', 'Projects/Gateway', 'Inbox', 'Gateway', 'archive'].map(
    (box) => table.idOf(box),
  );
  expect(ids).toEqual(['a', 'b', 'c', 'd', 'e', null, null, null]);
});

test('where a server gives no role to a standard box, its name does', () => {
  const table = new MailboxTable([...stalwart, { id: 'f', name: 'Archive' }, { id: 'g', name: 'INBOX' }]);
  expect([table.idOf('archive'), table.idOf('inbox')]).toEqual(['f', 'a']);
  expect(table.boxOf(['f'])).toBe('archive');
});

test.each([
  [['b', 'a'], 'inbox'],
  [['d', 'c'], 'sent'],
  [['d', 'b'], 'trash'],
  [['e', 'd'], 'Projects/Gateway'],
  [['unknown'], null],
  [[], null],
])('a message in %o is in the box %s', (ids, box) => {
  expect(new MailboxTable(stalwart).boxOf(ids)).toBe(box);
});

test('a missing box is made with its role where it has one', () => {
  const table = new MailboxTable(stalwart);
  expect(table.creationOf('archive')).toEqual({ name: 'Archive', parentId: null, role: 'archive' });
  expect(table.creationOf('Später')).toEqual({ name: 'Später', parentId: null });
});

test('whatever a server names, boxes have one name each, and a name leads back to its box', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const mailbox = fc.record({
    id,
    name: fc.constantFrom('Inbox', 'x', 'Archive', ''),
    parentId: fc.option(id),
    role: fc.option(fc.constantFrom('inbox', 'archive', 'trash')),
  });
  fc.assert(
    fc.property(fc.uniqueArray(mailbox, { selector: ({ id }) => id }), (mailboxes) => {
      const table = new MailboxTable(mailboxes);
      for (const { id } of mailboxes) {
        const box = table.boxOf([id]);
        if (box !== null) expect(table.idOf(box)).toBe(id);
      }
    }),
  );
});
