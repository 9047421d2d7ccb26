import type { PeerCertificate } from 'node:tls';
import { expect, test } from 'vitest';
import { identityCheck } from '../../../../src/fleet/engine/settings.js';

const certificateFor = (...names: string[]) =>
  ({ subject: {}, subjectaltname: names.join(', ') }) as unknown as PeerCertificate;
const addresses = ['tls://10.0.0.1:4222', 'nats://[FD00::1]:4222'];

test.each([
  ['one of the addresses', addresses, 'IP Address:10.0.0.1'],
  ['one of version 6', addresses, 'IP Address:FD00:0:0:0:0:0:0:1'],
  ['localhost, which is given', ['tls://LOCALHOST:4222'], 'DNS:localhost'],
  ['localhost beside an address', ['tls://localhost:4222', ...addresses], 'DNS:localhost'],
])('a certificate for %s is accepted', (_what, urls, name) => {
  expect(identityCheck(urls)('localhost', certificateFor(name))).toBeUndefined();
});

test.each([
  ['another address', addresses, 'IP Address:10.0.0.2'],
  ['localhost, which is not given', addresses, 'DNS:localhost'],
  ['a name, where addresses are given', addresses, 'DNS:nats.example.com'],
  ['an address, where localhost is given', ['tls://localhost:4222'], 'IP Address:127.0.0.1'],
])('a certificate for %s is refused', (_what, urls, name) => {
  expect(identityCheck(urls)('localhost', certificateFor(name))).toMatchObject({
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  });
});

test('a server that has a name is checked by it alone, also where addresses are given beside it', () => {
  const check = identityCheck(['tls://nats.example.com:4222', ...addresses]);
  expect(check('nats.example.com', certificateFor('DNS:nats.example.com'))).toBeUndefined();
  expect(check('nats.example.com', certificateFor('IP Address:10.0.0.1'))).toMatchObject({
    host: 'nats.example.com',
  });
});
