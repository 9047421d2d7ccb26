import { expect, test } from 'vitest';
import {
  hostOf,
  isPublicAddress,
  lookupPublic,
  PrivateAddress,
  refusalOf,
} from '../../../../src/server/notifications/public-addresses.js';

test.each([
  ...['8.8.8.8', '93.184.216.34', '172.32.0.1', '100.128.0.1', '2606:2800:220:1::1', '::ffff:8.8.8.8'],
])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));

test.each([
  // This machine, and what a system takes for it.
  ...['127.0.0.1', '127.8.8.8', '0.0.0.0', '0.1.2.3', '::1', '::', '::ffff:127.0.0.1', '::ffff:7f00:1'],
  // Private networks, neighbours, providers' own.
  ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.1.1', '100.64.0.1', '100.127.0.1'],
  ...['fc00::1', 'fd12:3456::1', 'fe80::1', 'fec0::1'],
  // The clouds' metadata.
  ...['169.254.169.254', 'fd00:ec2::254', '100.100.100.200'],
  // Addresses that lead to any of them, or nowhere.
  ...[
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:0:1::',
    '224.0.0.1',
    'ff02::1',
    '255.255.255.255',
    '240.0.0.1',
  ],
  ...['192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '2001:db8::1', 'no address', ''],
])('%s is not', (address) => expect(isPublicAddress(address)).toBe(false));

test('every way to write an address of this machine is seen', async () => {
  for (const host of [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
  ])
    expect([host, await refusalOf(`http://${host}:80/`)]).toEqual([host, expect.any(String)]);
  expect(hostOf('https://[2606:2800:220:1::1]/hook')).toBe('2606:2800:220:1::1');
});

test('a name is refused for the address that it leads to, in each form that a connection asks for', async () => {
  expect(await refusalOf('http://localhost/')).toMatch(/--allow-private-webhooks/);
  for (const all of [true, false]) {
    const error = await new Promise((resolve) => lookupPublic('localhost', { all }, resolve));
    expect(error).toBeInstanceOf(PrivateAddress);
  }
});

test('a name that leads nowhere now is looked at again later', async () => {
  expect(await refusalOf('http://nowhere.invalid/')).toBeNull();
});
