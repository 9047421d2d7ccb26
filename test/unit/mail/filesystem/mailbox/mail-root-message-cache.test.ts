import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { MessageCache } from '../../../../../src/mail/filesystem/mailbox/mail-root.js';
import { canonicalPath, mailPaths } from '../../../../../src/mail/filesystem/root/mail-paths.js';
import type { RootDraft } from '../../../../../src/mail/message/compose.js';
import { renderDocument } from '../../../../../src/mail/message/document.js';
import { mailOf } from '../../../../support/mail/mail-root.js';
import { temporaryFolder } from '../../../../support/temporary-folder.js';

function placed() {
  const paths = mailPaths(temporaryFolder());
  const cache = new MessageCache();
  return {
    read: (path: string) => cache.read(paths, path),
    place: (changes: Partial<RootDraft> = {}): string => {
      const message = mailOf('alice', ['bob'], changes);
      const path = canonicalPath(paths, message);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, renderDocument(message));
      return path;
    },
  };
}

test('a message is read once, and again when its file is another one', () => {
  const { read, place } = placed();
  const path = place();
  const first = read(path);
  expect(read(path)).toBe(first);
  const text = renderDocument({ ...first, subject: 'replaced' });
  rmSync(path);
  writeFileSync(path, text);
  expect(read(path).subject).toBe('replaced');
  rmSync(path);
  expect(() => read(path)).toThrow(expect.objectContaining({ code: 'message_damaged' }));
});

const long = 'x'.repeat(900_000);

test.each([
  ['body', { body: long }],
  ['subject', { subject: long }],
  ['headers', { headers: { 'x-long': long } }],
])('what is kept has an end, also where the %s is long', (_, changes) => {
  const { read, place } = placed();
  const paths = [place(changes), place(changes), place(changes)];
  const messages = paths.map(read);
  expect(read(paths[2]!)).toBe(messages[2]);
  expect(read(paths[1]!)).toBe(messages[1]);
  expect(read(paths[0]!)).not.toBe(messages[0]);
});
