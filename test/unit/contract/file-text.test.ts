import { appendFileSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { beforeEach, expect, test } from 'vitest';
import { type FileText, fileText } from '../../../src/contract/file-text.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

let path: string;
beforeEach(() => {
  path = join(temporaryFolder(), 'stdout.jsonl');
});

const contentOf = async (found: FileText): Promise<string | null> => {
  if (found.status === 416) return null;
  const content = await readAll(found.text.source);
  expect(Buffer.byteLength(content)).toBe(found.text.length);
  return content;
};
/** Files below the folder of this test that this process has open. */
const openFiles = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(join('/proc/self/fd', fd))].filter((target) => target.startsWith(path));
    } catch {
      return [];
    }
  });

test('all of a file, a part of it, and what is beyond its end', async () => {
  writeFileSync(path, '0123456789');
  const whole = await fileText(path, undefined);
  expect([whole.status, whole.headers, await contentOf(whole)]).toEqual([
    200,
    { 'Accept-Ranges': 'bytes' },
    '0123456789',
  ]);
  const middle = await fileText(path, 'bytes=2-4');
  expect([middle.status, middle.headers, await contentOf(middle)]).toEqual([
    206,
    { 'Accept-Ranges': 'bytes', 'Content-Range': 'bytes 2-4/10' },
    '234',
  ]);
  expect(await contentOf(await fileText(path, 'bytes=-3'))).toBe('789');
  expect(await contentOf(await fileText(path, 'bytes=0-0'))).toBe('0');
  expect(await fileText(path, 'bytes=10-')).toEqual({
    status: 416,
    detail: 'The file has 10 bytes; bytes=10- is beyond them.',
    headers: { 'Content-Range': 'bytes */10' },
  });
  expect(openFiles()).toEqual([]);
});

test('a file that grows is as long as it was', async () => {
  writeFileSync(path, 'one\n');
  const found = await fileText(path, undefined);
  appendFileSync(path, 'two\n');
  expect(await contentOf(found)).toBe('one\n');
});

test('a file that is not there, or empty, is an empty text', async () => {
  expect(await contentOf(await fileText(path, undefined))).toBe('');
  writeFileSync(path, '');
  expect(await contentOf(await fileText(path, undefined))).toBe('');
  expect((await fileText(path, 'bytes=0-')).status).toBe(416);
  expect(openFiles()).toEqual([]);
});

test('a text that nobody reads leaves no file open', async () => {
  writeFileSync(path, 'x');
  const found = await fileText(path, undefined);
  expect(openFiles()).toEqual([path]);
  if (found.status !== 416) found.text.source.destroy();
  await expect.poll(openFiles).toEqual([]);
});

test('a fault of the file system is one', async () => {
  mkdirSync(path);
  const found = await fileText(path, undefined);
  await expect(contentOf(found)).rejects.toMatchObject({ code: 'EISDIR' });
  await expect(fileText(join(path, '\0'), undefined)).rejects.toMatchObject({
    code: 'ERR_INVALID_ARG_VALUE',
  });
});
