import { rmSync, writeFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { linuxSocketTables, ownerOf } from '../../../../src/http/walls/socket-owner.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const heading =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const line = (local: string, remote: string, uid: number | string, inode: number | string) =>
  `   7: ${local} ${remote} 01 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 1 0000000000000000\n`;
/** Four bytes as this machine has them in memory. */
const word = (bytes: readonly number[]): string =>
  (endianness() === 'LE' ? [...bytes].reverse() : bytes)
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();
const hexPort = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');
const words = (bytes: readonly number[]): string =>
  [0, 4, 8, 12].map((start) => word(bytes.slice(start, start + 4))).join('');
/** The sixteen bytes of an address written out in full. */
const bytesOf = (groups: readonly number[]): number[] => groups.flatMap((group) => [group >> 8, group & 255]);

describe('an IPv6 address', () => {
  test.each<[string, number[]]>([
    ['2001:db8:1:2:3:4:5:6', [0x2001, 0xdb8, 1, 2, 3, 4, 5, 6]],
    ['2001:db8::ff00:42', [0x2001, 0xdb8, 0, 0, 0, 0, 0xff00, 0x42]],
    ['fe80::', [0xfe80, 0, 0, 0, 0, 0, 0, 0]],
    ['::1', [0, 0, 0, 0, 0, 0, 0, 1]],
  ])('%s is found as the tables write it', (address, groups) => {
    const local = `${words(bytesOf(groups))}:${hexPort(80)}`;
    const remote = `${words(bytesOf([0, 0, 0, 0, 0, 0, 0, 1]))}:${hexPort(0xabcd)}`;
    const table = heading + line(local, remote, 1000, 1);
    expect(ownerOf([table], { address, port: 80 }, { address: '::1', port: 0xabcd })).toBe(1000);
  });

  test('of any kind is found', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 0xffff }), { minLength: 8, maxLength: 8 }),
        fc.nat(7),
        fc.nat(8),
        (groups, from, count) => {
          const zeros = groups.map((group, index) => (index >= from && index < from + count ? 0 : group));
          const text = zeros.map((group) => group.toString(16)).join(':');
          const short = text.replace(/(?:^|:)0(?::0)+(?::|$)/, '::');
          const end = `${words(bytesOf(zeros))}:${hexPort(1)}`;
          const [client, server] = [
            { address: short, port: 1 },
            { address: text, port: 1 },
          ];
          expect(ownerOf([line(end, end, 5, 9)], client, server)).toBe(5);
        },
      ),
    );
  });
});

describe('an IPv4 address', () => {
  const plain = (address: number[], port: number) => `${word(address)}:${hexPort(port)}`;
  const mapped = (address: number[], port: number) =>
    `${'0'.repeat(16)}${word([0, 0, 255, 255])}${plain(address, port)}`;
  const client = { address: '10.1.2.200', port: 7 };
  const server = { address: '127.0.0.1', port: 65535 };
  const [here, there] = [
    [10, 1, 2, 200],
    [127, 0, 0, 1],
  ] as const;

  test.each([
    ['as such', client, plain([...here], 7), plain([...there], 65535)],
    ['as an IPv6 socket has it', client, mapped([...here], 7), mapped([...there], 65535)],
    [
      'written like one of IPv6',
      { ...client, address: '::FFFF:10.1.2.200' },
      plain([...here], 7),
      plain([...there], 65535),
    ],
  ])('is found %s', (_how, asked, local, remote) => {
    expect(ownerOf(['', heading + line(local, remote, 33, 5)], asked, server)).toBe(33);
  });
  test('is not mixed with the other spelling', () => {
    const mixed = line(plain([...here], 7), mapped([...there], 65535), 33, 5);
    expect(ownerOf([mixed], client, server)).toBeNull();
  });
  test('is looked for in all tables, past a socket that nobody holds', () => {
    const [local, remote] = [plain([...here], 7), plain([...there], 65535)];
    const orphan = line(local, remote, 0, 0);
    expect(ownerOf([orphan, line(local, remote, 44, 6)], client, server)).toBe(44);
  });
  test('is not found in the end of a line that is broken off, nor where the user is no number', () => {
    const [local, remote] = [plain([...here], 7), plain([...there], 65535)];
    expect(ownerOf([line(local, remote, 'root', 6)], client, server)).toBeNull();
    expect(ownerOf([line(local, remote, 44, 'none')], client, server)).toBeNull();
    expect(ownerOf([`   7: ${local} ${remote} 01\n${line('x', 'y', 44, 6)}`], client, server)).toBeNull();
  });
});

test.each(['', 'localhost', '1.2.3', '::ffff:', 'g::'])(
  '%j is no address, and belongs to nobody',
  (address) => {
    const end = { address, port: 1 };
    expect(ownerOf([line(':0001', ':0001', 1, 1), line('', '', 1, 1)], end, end)).toBeNull();
  },
);

test('a connection that no table has belongs to nobody, whatever else is in them', () => {
  // Read one column off, its user and inode would be those of a socket that root holds.
  const other = '0: A B 01 00000000:00000000 00:00000000 00000000  1000        7 4711 1 0\n';
  const end = { address: '127.0.0.1', port: 1 };
  expect(ownerOf([other], end, end)).toBeNull();
});

describe('the tables of a machine', () => {
  const folder = temporaryFolder();
  const [first, second] = [join(folder, 'tcp'), join(folder, 'tcp6')];

  beforeEach(() => {
    for (const table of [first, second]) rmSync(table, { force: true });
  });

  test('are those that it has', async () => {
    expect(await linuxSocketTables([first, second]).read()).toBeNull();
    writeFileSync(second, 'of IPv6');
    expect(await linuxSocketTables([first, second]).read()).toEqual(['of IPv6']);
    writeFileSync(first, 'of IPv4');
    expect(await linuxSocketTables([first, second]).read()).toEqual(['of IPv4', 'of IPv6']);
  });

  test('are read again for every caller that asks during a reading: it may be older than their connection', async () => {
    const tables = linuxSocketTables([first]);
    const early = tables.read();
    await Promise.resolve();
    await Promise.resolve();
    const late = tables.read();
    expect(late).not.toBe(early);
    expect(tables.read()).toBe(late);
    writeFileSync(first, 'later');
    expect(await late).toEqual(['later']);
    writeFileSync(first, 'of IPv4');
    expect(await tables.read()).toEqual(['of IPv4']);
  });
});
