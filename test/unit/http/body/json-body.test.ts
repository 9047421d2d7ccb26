import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonMediaType } from '../../../../src/http/body/json-body.js';

describe('the media type wall', () => {
  const token = fc.stringMatching(/^[A-Za-z0-9!#$&^_.+-]{1,12}$/);

  test('takes JSON and its kin with any parameters', () => {
    fc.assert(
      fc.property(
        fc.option(token),
        fc.string({ maxLength: 20 }),
        fc.constantFrom('', ' ', '\t'),
        (prefix, tail, blank) => {
          const type = `application/${prefix === null ? '' : `${prefix}+`}json`;
          expect(isJsonMediaType(`${blank}${type}${blank};${tail}`)).toBe(true);
          expect(isJsonMediaType(type.toUpperCase())).toBe(true);
        },
      ),
    );
  });

  test('takes nothing else', () => {
    fc.assert(
      fc.property(token, token, (type, subtype) => {
        const json = type.toLowerCase() === 'application' && /(?:^|.\+)json$/i.test(subtype);
        expect(isJsonMediaType(`${type}/${subtype}`)).toBe(json);
        expect(isJsonMediaType(`${type}/${subtype}; x=application/json`)).toBe(json);
      }),
    );
    for (const type of [undefined, '', ';', 'json', 'application/', 'application/+json']) {
      expect(isJsonMediaType(type)).toBe(false);
    }
  });

  // Backtracking would need 10^10 steps and the limit of the test.
  test('does not backtrack over a hostile one', () => {
    expect(isJsonMediaType(`application/${'+'.repeat(100_000)}jso`)).toBe(false);
  });
});
