import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linuxSocketTables, ownerOf } from '../../../../src/http/walls/socket-owner.js';
import { admission, type Caller, isLoopbackAddress, isOwner } from '../../../../src/http/walls/walls.js';

const token = 'a'.repeat(43);
const policy = { token, users: new Set([1000]) };
const words = {
  title: 'Toys',
  program: 'toy-shop',
  noun: 'shop',
  tokenFile: 'the till',
  flags: { host: '--host-too', origin: '--origin-too', user: '--user-too' },
};
const admissionOf = (caller: Caller, authorization: string | undefined) =>
  admission(caller, authorization, policy, words);
const loopback = (uid: number | null, userReported = true): Caller => ({
  from: 'loopback',
  uid,
  userReported,
});
const callers = fc.oneof(
  fc.constant<Caller>({ from: 'elsewhere' }),
  fc.record({
    from: fc.constant('loopback' as const),
    uid: fc.option(fc.nat(70000)),
    userReported: fc.boolean(),
  }),
);

test('root, the owner and allowed users may call from loopback; no other user, and no unknown one', () => {
  fc.assert(
    fc.property(fc.option(fc.nat(70000)), (uid) => {
      const may = uid === 0 || uid === 1000;
      expect(admissionOf(loopback(uid), undefined).admitted).toBe(may);
    }),
  );
  expect(admissionOf(loopback(1001), undefined)).toMatchObject({
    status: 403,
    detail: expect.stringContaining(
      'belongs to another user of this machine. Ask its owner to restart it with --user-too 1001.',
    ),
  });
});

test('where the platform does not tell, loopback is admitted', () => {
  expect(admissionOf(loopback(null, false), undefined).admitted).toBe(true);
});

test('callers from elsewhere need the token', () => {
  expect(admissionOf({ from: 'elsewhere' }, undefined)).toMatchObject({ status: 401 });
});

test('the right token admits every caller, a wrong one none', () => {
  fc.assert(
    fc.property(callers, fc.string(), (caller, text) => {
      expect(admissionOf(caller, `Bearer ${token}`).admitted).toBe(true);
      expect(admissionOf(caller, `bearer  ${token}`).admitted).toBe(true);
      fc.pre(text !== token);
      for (const presented of [
        text,
        `Bearer ${text}`,
        `Basic ${token}`,
        token,
        '',
        'Bearer',
        `Bearer ${token}x`,
      ])
        expect(admissionOf(caller, presented)).toMatchObject({ admitted: false, status: 401 });
    }),
  );
});

test('nearly the right token is a wrong one: a beginning of it, an end, one character changed or more', () => {
  const secret = 'q7Wm-R2xTz_9LkPvB4nYc8HdJs6GfA1eUoKi3XbNwQ';
  const near = fc.oneof(
    fc.nat(secret.length - 1).map((length) => secret.slice(0, length)),
    fc.integer({ min: 1, max: secret.length }).map((from) => secret.slice(from)),
    fc.nat(secret.length - 1).map((at) => `${secret.slice(0, at)}~${secret.slice(at + 1)}`),
    fc.stringMatching(/^[\w-]{1,9}$/).map((more) => secret + more),
  );
  fc.assert(
    fc.property(near, (presented) => {
      const judged = admission(loopback(0), `Bearer ${presented}`, { ...policy, token: secret }, words);
      expect(judged).toMatchObject({ status: 401 });
    }),
  );
});

test.each([
  ['127.0.0.1', true],
  ['127.255.0.3', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['10.127.0.1', false],
  ['::ffff:10.0.0.1', false],
  ['::2', false],
])('%s is loopback: %s', (address, expected) => {
  expect(isLoopbackAddress(address)).toBe(expected);
});

test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])(
  'a real connection to %s is found as ours',
  async (host) => {
    const server = createServer().listen(0, '::');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = connect(port, host);
    const [socket] = (await once(server, 'connection')) as [import('node:net').Socket];
    const ends = [
      { address: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 },
      { address: socket.localAddress ?? '', port: socket.localPort ?? 0 },
    ] as const;
    const tables = linuxSocketTables();
    expect(ownerOf((await tables.read()) ?? [], ...ends)).toBe(process.getuid?.());
    client.destroy();
    await once(socket.resume(), 'close');
    expect(ownerOf((await tables.read()) ?? [], ...ends)).toBeNull();
    server.close();
  },
);

const line = (local: string, remote: string, state: string, uid: number, inode: number) =>
  `   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 1 0000000000000000\n`;
const client = { address: '127.0.0.1', port: 0x1234 };
const server = { address: '127.0.0.1', port: 0x1f90 };

test('a socket that no process holds any more does not pass for that of root', () => {
  const orphan = line('0100007F:1234', '0100007F:1F90', '05', 0, 0);
  expect(ownerOf([orphan], client, server)).toBeNull();
  const held = line('0100007F:1234', '0100007F:1F90', '05', 1000, 4711);
  expect(ownerOf([held], client, server)).toBe(1000);
});

test('the server end of the connection is not taken for the client end', () => {
  const ours = line('0100007F:1F90', '0100007F:1234', '01', 0, 4711);
  expect(ownerOf([ours], client, server)).toBeNull();
});

test('a socket of IPv6 with an IPv4 address is found in the table of IPv6', () => {
  const mapped = '0000000000000000FFFF0000';
  const table = line(`${mapped}0100007F:1234`, `${mapped}0100007F:1F90`, '01', 1000, 4711);
  expect(ownerOf([table], client, server)).toBe(1000);
});

test('those who ask while a reading is under way share the next one', async () => {
  const tables = linuxSocketTables();
  const first = tables.read();
  const [second, third] = [tables.read(), tables.read()];
  expect(second).toBe(third);
  await Promise.all([first, second]);
});

test('only root and the user who runs the program are its owner, from loopback and not by a web page', () => {
  fc.assert(
    fc.property(callers, fc.option(fc.nat(70000)), (caller, uid) => {
      const isKnown = caller.from === 'loopback' && caller.userReported;
      const isOurs = caller.from === 'loopback' && caller.uid !== null && [0, uid].includes(caller.uid);
      const isOwned = caller.from === 'loopback' && (isKnown ? isOurs : true);
      expect(isOwner(caller, undefined, uid)).toBe(isOwned);
      expect(isOwner(caller, 'http://127.0.0.1:9889', uid)).toBe(false);
    }),
  );
});
