import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cachePath, cacheStamp } from '../../../src/foundation/cached-script.js';

let folder: string;
let path: string;
const code = (answer: string) =>
  `'use strict'; const { sep } = require('node:path'); exports.answer = () => '${answer}' + sep; exports.file = __filename;`;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'houmao-cache-'));
  path = join(folder, 'part.cjs');
  writeFileSync(path, code('one'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const loader = new URL('../../../dist/src/foundation/cached-script.js', import.meta.url).href;

/** The output of the file in a Node of its own: within one process V8 remembers what it compiled before. */
function run(program: string, ...flags: string[]): string {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...flags,
      '--input-type=module',
      '-e',
      `import { writeFileSync } from 'node:fs';
       import { cachePath, cacheStamp, loadCached } from '${loader}';
       const path = ${JSON.stringify(path)};
       ${program}`,
    ],
    { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } },
  );
  expect(stderr).toBe('');
  return stdout;
}

/** The answer of the file, and whether V8 took the cache; null where it was not offered. */
function load(...flags: string[]): { answer: string; file: string; taken: boolean | null } {
  return JSON.parse(
    run(
      `let script;
       const { answer, file } = loadCached(path, (one) => { script = one; });
       const rejected = script.cachedDataRejected;
       console.log(JSON.stringify({ answer: answer(), file, taken: rejected === undefined ? null : !rejected }));`,
      ...flags,
    ),
  );
}
const says = (answer: string, taken: boolean | null) => ({ answer: `${answer}/`, file: path, taken });

/** Made when the functions have run: what never ran is not in it. */
const writeCache = (): string =>
  run(`let script;
    loadCached(path, (one) => { script = one; }).answer();
    writeFileSync(cachePath(path), Buffer.concat([cacheStamp(path), script.createCachedData()]));`);

test('a file is loaded as require loads it, with its cache and without', () => {
  expect(load()).toEqual(says('one', null));
  writeCache();
  expect(load()).toEqual(says('one', true));
});

describe('a cache is passed over without a word', () => {
  test('when it was made of another file, also one of the same length', () => {
    writeCache();
    const old = readFileSync(cachePath(path)).subarray(16);
    writeFileSync(path, code('two'));
    expect(load()).toEqual(says('two', null));
    // Why there is a stamp: V8 compares nothing but the length.
    writeFileSync(cachePath(path), Buffer.concat([cacheStamp(path), old]));
    expect(load()).toEqual(says('one', true));
    utimesSync(path, 1, 1);
    expect(load()).toEqual(says('two', null));
  });

  test('when another version of V8 made it, when it is cut off, and when it is none', () => {
    writeCache();
    const good = readFileSync(cachePath(path));
    const other = Buffer.from(good);
    // The hash of V8's version.
    other.writeUInt32LE((other.readUInt32LE(16 + 4) ^ 1) >>> 0, 16 + 4);
    for (const [name, bytes, taken] of [
      ['another version', other, false],
      ['cut off', good.subarray(0, good.length - 8), false],
      ['nothing behind the stamp', good.subarray(0, 16), false],
      ['nothing', Buffer.alloc(0), null],
      ['no stamp', Buffer.alloc(4000, 'x'), null],
    ] as const) {
      writeFileSync(cachePath(path), bytes);
      expect([name, load()]).toEqual([name, says('one', taken)]);
    }
  });

  test('when Node runs with other flags', () => {
    writeCache();
    expect(load()).toEqual(says('one', true));
    expect(load('--no-opt')).toEqual(says('one', false));
  });
});

test('a file of its folder that it requires is loaded with a cache of its own, once', () => {
  const beside = join(folder, 'beside.cjs');
  writeFileSync(beside, `'use strict'; exports.count = () => { count += 1; return count; }; let count = 0;`);
  writeFileSync(
    path,
    `'use strict'; require('./beside.cjs').count(); exports.answer = () => require('./beside.cjs').count();`,
  );
  const program = `const scripts = new Map();
    const answer = loadCached(path, (script, file) => scripts.set(file, script)).answer();
    const beside = ${JSON.stringify(beside)};
    console.log(JSON.stringify([answer, [...scripts.keys()], scripts.get(beside).cachedDataRejected ?? null]));
    writeFileSync(cachePath(beside), Buffer.concat([cacheStamp(beside), scripts.get(beside).createCachedData()]));`;
  expect(JSON.parse(run(program))).toEqual([2, [beside, path], null]);
  expect(JSON.parse(run(program))).toEqual([2, [beside, path], false]);
});

test('a file of its folder that could not be loaded is loaded again when it is asked for again', () => {
  const beside = join(folder, 'beside.cjs');
  writeFileSync(path, `'use strict'; exports.answer = () => require('./beside.cjs').count;`);
  const program = `const { answer } = loadCached(path);
    const beside = ${JSON.stringify(beside)};
    const asked = () => { try { return answer(); } catch (error) { return error.code ?? error.message; } };
    const answers = [asked()];
    writeFileSync(beside, 'throw new Error("half")');
    answers.push(asked());
    writeFileSync(beside, 'exports.count = 1');
    console.log(JSON.stringify([...answers, asked()]));`;
  expect(JSON.parse(run(program))).toEqual(['ENOENT', 'half', 1]);
});
