import { chmodSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MessageCache, readMessageFile } from '../../../../../src/mail/filesystem/mailbox/mail-root.js';
import { mailOf, newRoot, send } from '../../../../support/mail/mail-root.js';

/** Does work as a user who may not read a file. */
function denied<T>(path: string, work: () => T): T {
  chmodSync(path, 0);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(65534);
  try {
    return work();
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(path, 0o644);
  }
}

test('a file that may not be read is a message that is damaged, and no fault of all mail', async () => {
  const { paths, index, messages } = await newRoot(['alice']).then(async (root) => {
    await send(root, mailOf('alice', ['alice'], { subject: 'secret' }));
    return root;
  });
  const path = index.messages.place(index.messages.ids()[0] ?? '')!.canonical_path;
  const damaged = { code: 'message_damaged', message: `${path}: cannot be read (EACCES)` };
  for (const read of [() => readMessageFile(paths, path), () => new MessageCache().read(paths, path)])
    denied(path, () => expect(read).toThrow(expect.objectContaining(damaged)));
  expect(messages.read(paths, path).subject).toBe('secret');
});
