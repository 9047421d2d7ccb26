import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hookCommand } from '../../../../src/tools/adapter/command-parts.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const folder = join(temporaryFolder(), 'it\'s a $HOME "folder"');
mkdirSync(folder);
let number = 0;
const fresh = (): string => {
  number += 1;
  return join(folder, `hooks-${number}.jsonl`);
};
const silent = { status: 0, stdout: '', stderr: '' };

/** As a tool runs it: in the shell of the user, with what it tells on stdin. */
function run(file: string, reported: string, shell = '/bin/sh') {
  const { status, stdout, stderr } = spawnSync(shell, ['-c', hookCommand(file)], {
    input: reported,
    encoding: 'utf8',
    timeout: 20_000,
    // bash reads the start-up files of a user where it takes itself for one that came over a network.
    env: { PATH: process.env.PATH, HOME: folder },
  });
  return { status, stdout, stderr };
}

test.each(['/bin/sh', '/bin/bash'])('in %s each call is a line, which only its owner may read', (shell) => {
  const file = fresh();
  expect(run(file, '{"a":1}', shell)).toEqual(silent);
  expect(run(file, '{"b":"\\n $HOME `x` \'"}', shell)).toEqual(silent);
  expect(readFileSync(file, 'utf8')).toBe('{"a":1}\n{"b":"\\n $HOME `x` \'"}\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

const long = JSON.stringify({ prompt: 'long '.repeat(100_000) });

test('a long one is whole', () => {
  const file = fresh();
  expect(run(file, long)).toEqual(silent);
  expect(readFileSync(file, 'utf8')).toBe(`${long}\n`);
});

test.each<[string, (file: string) => void]>([
  ['in a folder that is gone', (file) => mkdirSync(file)],
  ['where a folder stands', (file) => mkdirSync(file)],
  ['where a pipe stands that nobody reads', (file) => void execFileSync('mkfifo', [file])],
  ['on a disk that is full', (file) => void execFileSync('ln', ['-s', '/dev/full', file])],
])('%s nothing is written, said or waited for, and the tool gets rid of its text', async (where, prepare) => {
  const file = fresh();
  prepare(file);
  const target = where.includes('gone') ? join(file, 'no-such-folder', 'hooks.jsonl') : file;
  const child = spawn('/bin/sh', ['-c', hookCommand(target)]);
  const broken: Error[] = [];
  child.stdin.on('error', (error) => broken.push(error));
  child.stdin.end(long);
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => said.push(data));
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
  expect([broken, said]).toEqual([[], []]);
  expect(existsSync(join(folder, 'no-such-folder'))).toBe(false);
  rmSync(file, { recursive: true });
});

test('a file that was taken away comes again', () => {
  const file = fresh();
  writeFileSync(file, 'old\n');
  rmSync(file);
  expect(run(file, '{}')).toEqual(silent);
  expect(readFileSync(file, 'utf8')).toBe('{}\n');
});
