import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isAllowedOrigin } from '../../../../src/http/walls/walls.js';

const none: ReadonlySet<string> = new Set();
const label = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}[a-z0-9]$/);
const name = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join('.'));
const port = fc.option(fc.integer({ min: 1, max: 65535 }), { nil: null });
const withPort = (host: string, number: number | null) => (number === null ? host : `${host}:${number}`);

describe('the origin wall', () => {
  const authority = fc.tuple(name, port).map(([host, number]) => withPort(host, number));

  test('lets in the own page, what is allowed and who sends none', () => {
    fc.assert(
      fc.property(authority, authority, (own, other) => {
        expect(isAllowedOrigin(`http://${own}`, own, none)).toBe(true);
        expect(isAllowedOrigin(`http://${own}`, own.toUpperCase(), none)).toBe(true);
        expect(isAllowedOrigin(`https://${own}`, own, none)).toBe(false);
        expect(isAllowedOrigin(undefined, own, none)).toBe(true);
        expect(isAllowedOrigin('null', own, none)).toBe(false);
        expect(isAllowedOrigin(`http://${other}`, own, none)).toBe(other === own);
        expect(isAllowedOrigin(`https://${other}`, own, new Set([`https://${other}`]))).toBe(true);
        expect(isAllowedOrigin(`https://${other}.evil.example`, own, new Set([`https://${other}`]))).toBe(
          false,
        );
      }),
    );
  });

  test('takes an origin as a whole, never as a prefix', () => {
    fc.assert(
      fc.property(authority, fc.string({ minLength: 1, maxLength: 10 }), (own, tail) => {
        expect(isAllowedOrigin(`http://${own}${tail}`, own, new Set([`http://${own}`]))).toBe(false);
      }),
    );
  });
});
