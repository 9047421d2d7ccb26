import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonMediaType } from '../../../../src/http/body/json-body.js';
import { hostOf, isLoopbackHost, isServedHost } from '../../../../src/http/walls/host-wall.js';
import { isAllowedOrigin } from '../../../../src/http/walls/origin-wall.js';

const none: ReadonlySet<string> = new Set();
const label = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}[a-z0-9]$/);
const name = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join('.'));
const port = fc.option(fc.integer({ min: 1, max: 65535 }), { nil: null });
const withPort = (host: string, number: number | null) => (number === null ? host : `${host}:${number}`);

describe('the host wall', () => {
  test.each([
    ['localhost', 'localhost'],
    ['LOCALHOST:80', 'localhost'],
    ['localhost.', 'localhost'],
    ['[::1]:8080', '::1'],
    ['127.0.0.1:65535', '127.0.0.1'],
    ['::1', null],
    ['a b', null],
    ['a/b', null],
    ['user@host', null],
    ['host:', null],
    ['host:123456', null],
    ['[::1', null],
    ['[localhost]', null],
    ['', null],
  ])('reads %j as %j', (authority, host) => {
    expect(hostOf(authority)).toBe(host);
  });

  test('serves every address of 127/8 and no other', () => {
    fc.assert(
      fc.property(fc.ipV4(), port, (address, number) => {
        expect(isServedHost(withPort(address, number), none)).toBe(address.startsWith('127.'));
      }),
    );
    fc.assert(
      fc.property(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)), port, (rest, number) => {
        expect(isServedHost(withPort(`127.${rest.join('.')}`, number), none)).toBe(true);
      }),
    );
  });

  test('serves ::1 of all IPv6 addresses', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const served = isServedHost(`[${address}]`, none);
        expect(served).toBe(address.toLowerCase() === '::1');
      }),
    );
    expect(isServedHost('[::1]', none)).toBe(true);
  });

  test('serves a name only where it is allowed, in any case, with any port', () => {
    fc.assert(
      fc.property(name, name, port, (host, other, number) => {
        const given = withPort(host.toUpperCase(), number);
        expect(isServedHost(given, new Set([host]))).toBe(true);
        expect(isServedHost(given, none)).toBe(false);
        expect(isServedHost(given, new Set([other]))).toBe(host === other);
        expect(isServedHost(`${host}.${other}`, new Set([host, other]))).toBe(false);
      }),
    );
  });

  test('never throws, and never serves what begins or ends with something else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        expect(typeof isServedHost(text, none)).toBe('boolean');
        if (/^[a-z]/i.test(text)) expect(isServedHost(`${text}.localhost`, none)).toBe(false);
        if (text !== '' && !/^[.:]/.test(text)) expect(isServedHost(`localhost${text}`, none)).toBe(false);
      }),
    );
    expect(isServedHost(undefined, none)).toBe(false);
    expect(isLoopbackHost('127.0.0.1.evil.example')).toBe(false);
  });
});

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
