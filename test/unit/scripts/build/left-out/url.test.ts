import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parse as parseOfNode } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const require = createRequire(import.meta.url);
const url = require('../../../../../scripts/build/left-out/url.cjs') as typeof import('node:url');

/** The targets that a caller may send behind the method; `@` makes Node escape the rest, too, which nobody of ours needs. */
const target = fc
  .stringMatching(
    /^[A-Za-z0-9._~!$&'()*+,;=:%"<>^`{|}[\]/-]*(?:\?[A-Za-z0-9._~!$&'()*+,;=:%"<>^`{|}[\]/?-]*)?$/,
  )
  .map((text) => `/${text}`);

describe('the module url of the bundled programs', () => {
  test('takes the targets of requests apart as Node does', () => {
    fc.assert(
      fc.property(target, (text) => {
        const { pathname, search, query, path } = parseOfNode(text);
        expect(url.parse(text)).toMatchObject({ pathname, search, query, path, href: text });
      }),
    );
    for (const text of ['http://127.0.0.1:9889/v1/status?a=b', 'http://a/', '/a?b#c'])
      expect(url.parse(text)).toMatchObject({
        pathname: parseOfNode(text).pathname,
        query: parseOfNode(text).query,
      });
  });

  test('has everything else of it', () => {
    for (const name of Object.keys(require('node:url') as object).filter((name) => name !== 'parse'))
      expect([name, Object.is(url[name as 'parse'], require('node:url')[name])]).toEqual([name, true]);
  });

  test('is needed by both packages; when this fails, it may be that it can go', () => {
    for (const file of [
      'express-openapi-validator/dist/middlewares/parsers/req.parameter.mutator.js',
      'parseurl',
    ])
      expect(readFileSync(require.resolve(file), 'utf8')).toMatch(/url\.parse\b/);
  });
});
