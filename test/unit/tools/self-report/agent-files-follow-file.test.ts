import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  openSync,
  renameSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FollowedFile } from '../../../../src/tools/self-report/agent-files.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

function follow(start = 0) {
  const path = join(temporaryFolder(), 'rows.jsonl');
  const seen: string[] = [];
  const file = new FollowedFile(path, start, {
    line: (text, offset) => seen.push(`${offset} ${text}`),
    restarted: () => seen.push('restarted'),
  });
  /** The rows since the last look. */
  const news = async (): Promise<string[]> => {
    await file.catchUp();
    return seen.splice(0);
  };
  return { path, file, news };
}

describe('following a file', () => {
  it('hands over whole lines only, also where a character is cut', async () => {
    const { path, file, news } = follow();
    writeFileSync(path, 'one\ntwo');
    expect(await news()).toEqual(['0 one']);
    expect(file.rowStart).toBe(4);
    const rest = Buffer.from('ü漢\nthree\n');
    appendFileSync(path, rest.subarray(0, 3));
    expect(await news()).toEqual([]);
    appendFileSync(path, rest.subarray(3));
    expect(await news()).toEqual(['4 twoü漢', '13 three']);
    expect(await news()).toEqual([]);
  });

  it('begins where it was asked to', async () => {
    const { path, news } = follow(4);
    writeFileSync(path, 'one\ntwo\n');
    expect(await news()).toEqual(['4 two']);
  });

  it('reads a file from its beginning that is shorter than it was', async () => {
    const { path, news } = follow(100);
    writeFileSync(path, 'one\n');
    expect(await news()).toEqual(['restarted', '0 one']);
  });

  it('waits for a file that comes late', async () => {
    const { path, news } = follow();
    expect(await news()).toEqual([]);
    writeFileSync(path, 'one\n');
    expect(await news()).toEqual(['0 one']);
  });

  it('a file that was removed and made again is another one', async () => {
    const { path, news } = follow();
    writeFileSync(path, 'one\n');
    await news();
    unlinkSync(path);
    expect(await news()).toEqual(['restarted']);
    writeFileSync(path, 'one\ntwo\n');
    expect(await news()).toEqual(['0 one', '4 two']);
  });

  it('also when nobody looked in between, and with the same inode', async () => {
    const { path, news } = follow();
    writeFileSync(path, 'one\n');
    await news();
    unlinkSync(path);
    writeFileSync(path, 'two\nthree\n');
    expect(await news()).toEqual(['restarted', '0 two', '4 three']);
  });

  it('a file that takes the place of another with the same beginning is another one', async () => {
    const { path, news } = follow();
    writeFileSync(path, 'one\n');
    await news();
    writeFileSync(`${path}.new`, 'one\ntwo\n');
    renameSync(`${path}.new`, path);
    expect(await news()).toEqual(['restarted', '0 one', '4 two']);
  });

  it('a file that was cut, or written again in place, is read again', async () => {
    const { path, news } = follow();
    writeFileSync(path, 'one\ntwo\n');
    await news();
    truncateSync(path, 4);
    expect(await news()).toEqual(['restarted', '0 one']);
    writeFileSync(path, 'other and longer\n');
    expect(await news()).toEqual(['restarted', '0 other and longer']);
    truncateSync(path);
    appendFileSync(path, 'new\n');
    expect(await news()).toEqual(['restarted', '0 new']);
    appendFileSync(path, 'more\n');
    expect(await news()).toEqual(['4 more']);
  });

  it('forgets half a line of a file that was written again', async () => {
    const { path, news } = follow();
    writeFileSync(path, 'half');
    expect(await news()).toEqual([]);
    writeFileSync(path, 'new line\n');
    expect(await news()).toEqual(['restarted', '0 new line']);
  });

  it('passes over a line of 50 MB', async () => {
    const { path, news } = follow();
    const megabyte = Buffer.alloc(1024 * 1024, 'x');
    const file = openSync(path, 'w');
    writeSync(file, 'one\n');
    for (let written = 0; written < 50; written += 1) writeSync(file, megabyte);
    expect(await news()).toEqual(['0 one']);
    writeSync(file, '\ntwo\n');
    closeSync(file);
    expect(await news()).toEqual([`${5 + 50 * megabyte.length} two`]);
  });

  it('another process writes in pieces', async () => {
    const { path, news } = follow();
    const lines = Array.from({ length: 200 }, (_, index) =>
      JSON.stringify({ index, text: 'ü漢🙂'.repeat(index) }),
    );
    writeFileSync(`${path}.source`, lines.map((line) => `${line}\n`).join(''));
    const writer = spawn(process.execPath, ['-e', pieceWriter, `${path}.source`, path]);
    const exited = once(writer, 'exit');
    const seen: string[] = [];
    await expect
      .poll(async () => {
        seen.push(...(await news()));
        return seen.length;
      })
      .toBe(lines.length);
    expect(seen.map((line) => line.slice(line.indexOf(' ') + 1))).toEqual(lines);
    expect(await exited).toEqual([0, null]);
  });

  it('a folder in its place is refused by the machine', async () => {
    const { file } = follow();
    const folder = new FollowedFile(temporaryFolder(), 0, {
      line: () => undefined,
      restarted: () => undefined,
    });
    await expect(folder.catchUp()).rejects.toThrow(/EISDIR/);
    await file.catchUp();
  });
});

/** Copies a file in pieces that end anywhere. */
const pieceWriter = `
const fs = require('node:fs');
const [source, target] = process.argv.slice(1);
const bytes = fs.readFileSync(source);
const file = fs.openSync(target, 'a');
for (let at = 0; at < bytes.length; at += 777) fs.writeSync(file, bytes.subarray(at, at + 777));
`;
