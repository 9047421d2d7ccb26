import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAccount, createUser } from '@nats-io/nkeys';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  credentialText,
  hostsFileName,
  prepareCredentials,
  publicKeyOf,
  seedIn,
} from '../../../../src/fleet/engine/credentials.js';
import { UnusableFile } from '../../../../src/foundation/faults.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const newSeed = (pair = createUser()): string => new TextDecoder().decode(pair.getSeed());

test('a seed is found again in its file, and alone on a line', () => {
  const seed = newSeed();
  expect(seedIn(credentialText('ws1', seed))).toBe(seed);
  expect(credentialText('ws1', seed).split('\n')).toContain(seed);
  expect([seedIn(seed), seedIn(`\r\n# mine\r\n  ${seed}\r\n`)]).toEqual([seed, seed]);
});

test.each([
  ['nothing', ''],
  ['one seed and another', `${newSeed()}\n${newSeed()}`],
  ['a seed that was cut', newSeed().slice(0, -1)],
  [
    'a seed with another letter in it',
    newSeed().replace(/.(?=.{20}$)/, (letter) => (letter === 'A' ? 'B' : 'A')),
  ],
  ['the seed of an account', newSeed(createAccount())],
  ['a public key', createUser().getPublicKey()],
])('%s is no seed', (_name, text) => {
  expect(seedIn(text)).toBeNull();
});

test('any other text is no seed', () => {
  fc.assert(fc.property(fc.string(), (text) => seedIn(`SU${text}`) === null));
});

test('keys that are missing are made, readable by their owner alone, and those that are there are kept', () => {
  const folder = join(temporaryFolder(), 'keys');
  const first = prepareCredentials(folder, ['ws2', 'ws1', 'ws2']);
  expect(first.map(({ name, isNew }) => [name, isNew])).toEqual([
    ['ws1', true],
    ['ws2', true],
  ]);
  for (const { file, publicKey } of first) {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(publicKeyOf(seedIn(readFileSync(file, 'utf8')) ?? '')).toBe(publicKey);
  }
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const texts = first.map(({ file }) => readFileSync(file, 'utf8'));
  const second = prepareCredentials(folder, ['ws1', 'ws3']);
  expect(second.map(({ name, isNew }) => [name, isNew])).toEqual([
    ['ws1', false],
    ['ws2', false],
    ['ws3', true],
  ]);
  expect(first.map(({ file }) => readFileSync(file, 'utf8'))).toEqual(texts);
  const hosts = readFileSync(join(folder, hostsFileName), 'utf8');
  for (const { publicKey } of second) expect(hosts).toContain(publicKey);
});

/** Each puts something into a folder that has the key of ws1. */
const obstacles: [string, (folder: string) => string][] = [
  ['a key file without a key', (folder) => put(folder, 'ws2.nk', '')],
  ['a key file of no host', (folder) => put(folder, 'WS 2.nk', newSeed())],
  ['a copy of a key', (folder) => put(folder, 'ws2.nk', readFileSync(join(folder, 'ws1.nk'), 'utf8'))],
  ['a list of hosts of another hand', (folder) => put(folder, hostsFileName, 'accounts { MINE {} }\n')],
  [
    'a folder in place of a key',
    (folder) => {
      mkdirSync(join(folder, 'ws2.nk'));
      return join(folder, 'ws2.nk');
    },
  ],
];
function put(folder: string, name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

test.each(obstacles)('%s is named, and nothing is made beside it', (_name, spoil) => {
  const folder = temporaryFolder();
  prepareCredentials(folder, ['ws1']);
  const path = spoil(folder);
  const before = readdirSync(folder);
  expect(() => prepareCredentials(folder, ['ws3'])).toThrow(
    expect.objectContaining({ name: UnusableFile.name, path }),
  );
  expect(readdirSync(folder)).toEqual(before);
});
