import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attachFile } from '../../../../src/mail/transport/attach-file.js';
import { mailOf, newRoot, send } from '../../../support/mail/mail-root.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const folder = temporaryFolder();
const attach = (path: string, label: string | null = null) =>
  attachFile({ path, label }, 'att-0123456789ab', 'attachments[0]');

test('a file is named by its real path, with size, digest, type and label', async () => {
  const path = join(folder, 'plan.MD');
  const content = 'x'.repeat(200_000);
  writeFileSync(path, content);
  symlinkSync(path, join(folder, 'link'));
  const attachment = await attach(join(folder, 'link'));
  expect(attachment).toEqual({
    attachmentId: 'att-0123456789ab',
    kind: 'path_ref',
    path,
    mediaType: 'text/markdown',
    sizeBytes: 200_000,
    label: 'plan.MD',
    sha256: createHash('sha256').update(content).digest('hex'),
  });
  expect((await attach(path, ' The plan ')).label).toBe('The plan');
  const root = await newRoot(['alice']);
  await send(root, mailOf('alice', ['alice'], { attachments: [attachment] }));
  expect(root.index.messages.hasAttachment(attachment.attachmentId)).toBe(true);
});

test('an unknown kind of file has no guess, and the names of an object’s own are none', async () => {
  for (const name of ['a.constructor', 'noextension', 'a.', '.bashrc']) {
    writeFileSync(join(folder, name), '');
    expect((await attach(join(folder, name))).mediaType).toBe('application/octet-stream');
  }
});

test.each([
  ['a relative path', () => 'plan.md'],
  ['a blank path', () => ' '],
  ['a name with a line break', () => named('a\nForged: b')],
  ['a link to a name with a line break', () => linkTo(named('c\nd'))],
  ['a path with NUL', () => `${folder}/a\0b`],
])('%s is refused, with the field', async (_, path) => {
  await expect(attach(path())).rejects.toMatchObject({ name: 'MailRefusal', field: 'attachments[0].path' });
});

test.each([
  ['a folder', () => folder],
  ['nothing', () => join(folder, 'nothing')],
  ['a device that never ends', () => '/dev/zero'],
  ['a pipe without a writer', () => pipe()],
  ['a link to a device', () => linkTo('/dev/zero')],
])('%s cannot be attached, as it is now', async (_, path) => {
  await expect(attach(path())).rejects.toMatchObject({
    name: 'MailFault',
    code: 'attachment_unusable',
    message: expect.stringMatching(/^attachments\[0\]\.path: /),
  });
});

test('what the sender may not read is refused', async () => {
  const secret = join(folder, 'secret');
  mkdirSync(secret);
  writeFileSync(join(secret, 'key'), 'k');
  chmodSync(secret, 0);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(65534);
  try {
    await expect(attach(join(secret, 'key'))).rejects.toMatchObject({
      message: expect.stringContaining('EACCES'),
    });
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(secret, 0o700);
  }
});

test('a path that ends in a blank is refused, and not taken for the one without', async () => {
  named('report');
  await expect(attach(named('report '))).rejects.toMatchObject({
    name: 'MailFault',
    code: 'attachment_unusable',
    message: expect.stringContaining('blank'),
  });
});

function pipe(): string {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}

function named(name: string): string {
  writeFileSync(join(folder, name), '');
  return join(folder, name);
}

function linkTo(target: string): string {
  const path = join(folder, `link-${Buffer.from(target).toString('hex').slice(-20)}`);
  symlinkSync(target, path);
  return path;
}

test('a managed copy stands in the folder of its id, and nowhere else', async () => {
  const root = await newRoot(['alice']);
  const managed = root.paths.managedAttachments;
  const outside = join(folder, 'outside');
  writeFileSync(outside, '');
  mkdirSync(join(managed, 'att-1'));
  writeFileSync(join(managed, 'att-1', 'a'), 'A');
  symlinkSync(outside, join(managed, 'att-1', 'link'));
  const copy = (path: string, attachmentId = 'att-1') => {
    const rest = { mediaType: 'text/plain', sha256: null, sizeBytes: null, label: null };
    return send(
      root,
      mailOf('alice', ['alice'], { attachments: [{ attachmentId, kind: 'managed_copy', path, ...rest }] }),
    );
  };
  for (const [path, id] of [
    [outside, 'att-1'],
    [join(managed, 'att-1', 'link'), 'att-1'],
    [`${managed}/att-1/../../../../outside`, 'att-1'],
    [join(managed, 'att-1', 'a'), 'att-2'],
    [outside, '../../..'],
  ] as const)
    await expect(copy(path, id)).rejects.toMatchObject({ name: 'MailRefusal', field: 'attachments[0].path' });
  await copy(join(managed, 'att-1', 'a'));
});
