import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Script } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { loadCached } from '../../../../src/foundation/cached-script.js';

const project = new URL('../../../../', import.meta.url).pathname;
const require = createRequire(import.meta.url);
const body = join(project, 'dist/programs/houmao-gateway.cjs');
const shared = join(project, 'dist/programs/houmao-shared.cjs');
const validators = join(project, 'dist/validators/gateway/validators.cjs');

describe('what a gateway loads', () => {
  test('has ASCII characters only: V8 keeps others in twice the memory', () => {
    for (const path of [body, shared, validators])
      expect([path, /[^\0-\x7f]/.exec(readFileSync(path, 'latin1'))?.index]).toEqual([path, undefined]);
  });

  test.each([
    [body, [shared, body]],
    [validators, [validators]],
  ])('%s comes with code that this Node takes, and so do the files that it requires', (path, expected) => {
    const taken = new Map<string, boolean>();
    loadCached(path, ({ cachedDataRejected }: Script, file) => taken.set(file, cachedDataRejected === false));
    expect([...taken].filter(([file]) => !file.includes('rolldown-runtime'))).toEqual(
      expected.map((file) => [file, true]),
    );
  });

  test('has nothing of the packages that its packages never use here', () => {
    const text = [body, shared].map((path) => readFileSync(path, 'latin1')).join('');
    // Words of packages stay in a bundle: those of express and ajv are there.
    for (const word of ['x-powered-by', 'strictNumbers'])
      expect([word, text.includes(word)]).toEqual([word, true]);
    for (const [name, word] of [
      ['body-parser', 'entity.parse.failed'],
      ['iconv-lite', 'Encoding not recognized'],
      ['multer', 'LIMIT_PART_COUNT'],
      ['busboy', 'Unexpected end of form'],
      ['json-schema-ref-parser', 'JSONParserError'],
    ] as const)
      expect([name, text.includes(word)]).toEqual([name, false]);
  });
});

describe('body-parser, which is left out,', () => {
  const leftOut = require('../../../../scripts/build/left-out/body-parser.cjs') as Record<string, () => void>;

  test('is asked by express for no more than stands in for it; when this fails, look at what express does with it', () => {
    const express = readFileSync(require.resolve('express/lib/express.js'), 'utf8');
    const used = [...express.matchAll(/bodyParser\b(?!\s*=)\.?(\w*)/g)].map(([, name]) => name);
    expect(used.sort()).toEqual(Object.keys(leftOut).sort());
    const elsewhere = readdirSync(join(require.resolve('express/lib/express.js'), '..'))
      .filter((file) => file !== 'express.js')
      .filter((file) => readFileSync(require.resolve(`express/lib/${file}`), 'utf8').includes('body-parser'));
    expect(elsewhere).toEqual([]);
  });

  test('says so when it is called, and nothing of ours calls it', () => {
    for (const [name, parser] of Object.entries(leftOut))
      expect(parser).toThrow(`express.${name} is left out`);
    const sources = readdirSync(join(project, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    const callers = sources.filter((file) =>
      /\bexpress\.(?:json|raw|text|urlencoded)\b|body-parser/.test(
        readFileSync(join(project, 'src', file), 'utf8'),
      ),
    );
    expect([sources.length > 100, callers]).toEqual([true, []]);
  });
});
