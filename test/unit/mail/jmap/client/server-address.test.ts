import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isNextDoor,
  pinned,
  serverAddress,
  shownAddress,
} from '../../../../../src/mail/jmap/client/server-address.js';

test.each([
  ['https://mail.example.org/jmap', false],
  ['http://127.0.0.1:8080/jmap', false],
  ['http://127.9.9.9/jmap', false],
  ['http://localhost:8080/jmap', false],
  ['http://[::1]:8080/jmap', false],
  ['http://mail.example.org/jmap', true],
])('%s is asked (plain HTTP allowed: %s)', (address, allowed) => {
  expect(serverAddress(address, allowed).href).toBe(address);
});

test.each([
  ['http://mail.example.org/jmap', /not on this machine.*allow_plain_http/],
  ['http://127.0.0.1.example.org/jmap', /not on this machine/],
  ['http://localhost.example.org/', /not on this machine/],
  ['http://10.0.0.1/', /not on this machine/],
  ['ftp://127.0.0.1/', /http or https/],
  ['mail.example.org', /http or https/],
  ['', /http or https/],
  ['https://alice:secret@mail.example.org/', /must name no user/],
])('%s is not', (address, rule) => {
  expect(() => serverAddress(address, false)).toThrow(rule);
});

test.each([
  ['http://127.0.0.1:8080/jmap', true],
  ['http://[::1]/jmap', true],
  ['https://127.0.0.1/jmap', false],
  ['http://mail.example.org/jmap', false],
])('%s is next door: %s', (address, is) => expect(isNextDoor(new URL(address))).toBe(is));

test('a refusal holds nothing of a credential that stands in the address', () => {
  expect(() => serverAddress('https://alice:secret@mail.example.org/', false)).not.toThrow('secret');
});

test('whatever a server gives as an address, it is asked on the origin that was given to us', () => {
  const base = new URL('https://mail.example.org/.well-known/jmap');
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webUrl({ withQueryParameters: true }),
        fc.webPath(),
        fc.constantFrom('//evil.example/{x}', 'http://a.example//evil.example/{x}', '/\\evil.example'),
      ),
      fc.string(),
      (template, value) => {
        fc.pre(URL.canParse(template, base.href));
        expect(pinned(template, { x: value }, base).origin).toBe(base.origin);
      },
    ),
  );
});

test("an address that is none is the server's fault", () => {
  expect(() => pinned('http://', {}, new URL('https://mail.example.org/jmap'))).toThrow(
    'gave an address that is not valid',
  );
});

test('a value of a template stays in its place', () => {
  const base = new URL('http://127.0.0.1:1/jmap/session');
  const url = pinned('upload/{accountId}/?a={accountId}&b={none}', { accountId: 'a/b?c=ü' }, base);
  expect(url.href).toBe('http://127.0.0.1:1/jmap/upload/a%2Fb%3Fc%3D%C3%BC/?a=a%2Fb%3Fc%3D%C3%BC&b=');
});

test('an address is shown without its query', () => {
  expect(shownAddress(new URL('https://mail.example.org/jmap?token=secret#x'))).toBe(
    'https://mail.example.org/jmap',
  );
});
