import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hostOf, isLoopbackHost, isServedHost } from '../../../../src/http/walls/walls.js';

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
        expect(() => isServedHost(text, none)).not.toThrow();
        if (/^[a-z]/i.test(text)) expect(isServedHost(`${text}.localhost`, none)).toBe(false);
        if (text !== '' && !/^[.:]/.test(text)) expect(isServedHost(`localhost${text}`, none)).toBe(false);
      }),
    );
    expect(isServedHost(undefined, none)).toBe(false);
    expect(isLoopbackHost('127.0.0.1.evil.example')).toBe(false);
  });
});
