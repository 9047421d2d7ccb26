import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import express, { type RequestHandler } from 'express';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  createSurfaceServer,
  type SurfaceRequest,
  type SurfaceResponse,
} from '../../../../src/http/server/server.js';
import { linuxSocketTables, type SocketTables } from '../../../../src/http/walls/socket-owner.js';
import { admission, CallerWall } from '../../../../src/http/walls/walls.js';

const words = {
  title: 'Toys',
  program: 'toy-shop',
  noun: 'shop',
  tokenFile: 'the till',
  flags: { host: '--host-too', origin: '--origin-too', user: '--user-too' },
};
const ours = process.getuid?.() ?? 0;

/** How often the tables were read. */
let reads: number;
/** The results of the next readings; when they are used up, those of this machine. */
let readings: (() => Promise<readonly string[] | null>)[];
const machine = linuxSocketTables();
const tables: SocketTables = {
  read() {
    reads += 1;
    return (readings.shift() ?? machine.read)();
  },
};
beforeEach(() => {
  [reads, readings] = [0, []];
});

/** Serves "fine" behind the wall. @param meet sees each connection before the wall does. */
async function serve(meet: (socket: Socket) => void = () => undefined): Promise<number> {
  const wall = new CallerWall({ token: 'right', users: new Set([ours]) }, tables, words);
  const app = express();
  const fail = (error: unknown, _request: SurfaceRequest, response: SurfaceResponse): void =>
    void response.status(500).end(`failed: ${(error as Error).message}`);
  const step = (incoming: SurfaceRequest, response: SurfaceResponse, next: () => void): void =>
    wall.admit(incoming, response, next, fail);
  app.use(step as RequestHandler);
  app.use((_incoming, response) => void response.end('fine'));
  const { server, messages } = createSurfaceServer(app);
  messages.adoptBy(app);
  server.on('connection', meet);
  wall.watch(server);
  server.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
async function ask(port: number, authorization?: string) {
  const headers = authorization === undefined ? {} : { authorization };
  const sent = get({ port, host: '127.0.0.1', agent, headers });
  const [answer] = await once(sent, 'response');
  let text = '';
  for await (const chunk of answer) text += chunk;
  return { status: answer.statusCode, challenge: answer.headers['www-authenticate'], text };
}
const detail = (text: string) => JSON.stringify({ detail: text });
const fine = { status: 200, challenge: undefined, text: 'fine' };
/** Makes a connection look as if it came from there. */
const from =
  (remoteAddress: string | undefined) =>
  (socket: Socket): void =>
    void Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress });

test('a process of ours is known by its connection, which is looked up once', async () => {
  const port = await serve();
  expect([await ask(port), await ask(port), reads]).toEqual([fine, fine, 1]);
});

test('a token is judged for every caller; a wrong one is refused with the kind that is needed', async () => {
  const port = await serve();
  expect(await ask(port, 'Bearer right')).toEqual(fine);
  expect(await ask(port, 'Bearer wrong')).toEqual({
    status: 401,
    challenge: 'Bearer realm="toy-shop"',
    text: detail('The token is wrong; the one of this shop is in the till.'),
  });
});

test.each(['Basic Bearer right', 'Bearer right right', 'Bearerright'])(
  '%j is not the token',
  async (authorization) => {
    expect((await ask(await serve(), authorization)).status).toBe(401);
  },
);

test.each([
  ['root', 0, true],
  ['an allowed user', 7, true],
  ['another user', 8, false],
  ['nobody', null, false],
])('of this machine, %s is admitted or not', (_who, uid, admitted) => {
  const policy = { token: 'right', users: new Set([7]) };
  const caller = { from: 'loopback', uid, userReported: true } as const;
  expect(admission(caller, undefined, policy, words).admitted).toBe(admitted);
});

test('another machine is asked for the token, and its user is not looked for', async () => {
  const port = await serve(from('192.0.2.7'));
  expect(await ask(port)).toEqual({
    status: 401,
    challenge: 'Bearer realm="toy-shop"',
    text: detail(
      'Callers from other machines need the token of this shop, which is in the till: Authorization: Bearer <token>.',
    ),
  });
  expect(await ask(port, 'Bearer right')).toEqual(fine);
  expect(reads).toBe(0);
});

describe('a caller whose user cannot be found', () => {
  const nobody = {
    status: 403,
    challenge: undefined,
    text: detail('The process that opened the connection has ended, so its user is not known.'),
  };

  test('because its end is in no table is refused', async () => {
    readings.push(async () => ['']);
    expect(await ask(await serve())).toEqual(nobody);
  });
  test.each(['remoteAddress', 'remotePort', 'localAddress', 'localPort'])(
    'because the connection ended and its %s is unknown is refused',
    async (part) => {
      const port = await serve((socket) => void Object.defineProperty(socket, part, { value: undefined }));
      expect([await ask(port), reads]).toEqual([nobody, 0]);
    },
  );
  test('because the platform does not tell is admitted', async () => {
    readings.push(async () => null);
    expect(await ask(await serve())).toEqual(fine);
  });
});

describe('tables that cannot be read', () => {
  const broken = async (): Promise<never> => {
    throw new Error('no tables');
  };

  test('are a fault of the request that waits for them', async () => {
    readings.push(broken, broken);
    expect(await ask(await serve())).toEqual({
      status: 500,
      challenge: undefined,
      text: 'failed: no tables',
    });
  });

  test('are read again for the next request of that connection', async () => {
    readings.push(broken);
    const socket = connect(await serve(), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    await expect.poll(() => reads).toBe(1);
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n.*fine/s);
    expect(reads).toBe(2);
  });
});

test('a request that comes while its caller is looked up waits for that', async () => {
  let answer: (tables: null) => void = () => undefined;
  const asked = new Promise<void>((come) => {
    readings.push(() => {
      come();
      return new Promise((resolve) => {
        answer = resolve;
      });
    });
  });
  const asking = ask(await serve());
  await asked;
  answer(null);
  expect([await asking, reads]).toEqual([fine, 1]);
});
