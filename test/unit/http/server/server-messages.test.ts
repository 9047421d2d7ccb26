import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { createSurfaceServer } from '../../../../src/http/server/server.js';

const port = (server: ReturnType<typeof createServer>) => (server.address() as AddressInfo).port;

/** How often prototypes are set while one request is answered. */
async function prototypesSet(answer: () => Promise<unknown>): Promise<number> {
  const set = Object.setPrototypeOf;
  let count = 0;
  Object.setPrototypeOf = (object: object, prototype: object) => {
    if (
      Object.getPrototypeOf(object) !== prototype &&
      (object instanceof IncomingMessage || object instanceof ServerResponse)
    )
      count += 1;
    return set(object, prototype);
  };
  try {
    await answer();
  } finally {
    Object.setPrototypeOf = set;
  }
  return count;
}

test('express still sets the prototype of every request and response; when this fails, the workaround can go', async () => {
  const app = express();
  app.use((_request, response) => void response.end('fine'));
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const count = await prototypesSet(async () => (await fetch(`http://127.0.0.1:${port(server)}/`)).text());
  expect(count).toBe(2);
});

async function serveTwo() {
  const servers = ['one', 'two'].map((name) => {
    const app = express();
    app.use(
      (incoming, response) =>
        void response.json({ name: incoming.app.get('name'), same: response.app === app }),
    );
    app.set('name', name);
    const bound = createSurfaceServer(app);
    bound.messages.adoptBy(app);
    bound.server.listen(0, '127.0.0.1');
    onTestFinished(() => {
      bound.server.close();
      bound.server.closeAllConnections();
    });
    return bound;
  });
  for (const { server } of servers) if (!server.listening) await once(server, 'listening');
  return servers;
}

test('ours are born with them, and two apps in one process keep apart', async () => {
  const servers = await serveTwo();
  for (const round of [1, 2])
    for (const [index, name] of ['one', 'two'].entries()) {
      let seen: unknown;
      const count = await prototypesSet(async () => {
        seen = await (await fetch(`http://127.0.0.1:${port(servers[index]!.server)}/`)).json();
      });
      expect([round, seen, count]).toEqual([round, { name, same: true }, 0]);
    }
});

test('every answer leaves with an id of its own, however it is sent', async () => {
  const bound = createSurfaceServer((incoming, response) => {
    if (incoming.url === '/head') response.writeHead(200, { 'X-Own': '1', 'Cache-Control': 'public' });
    if (incoming.url === '/flush') response.flushHeaders();
    response.end();
  });
  bound.server.listen(0, '127.0.0.1');
  await once(bound.server, 'listening');
  onTestFinished(() => void bound.server.close());
  const ids = new Set<string | null>();
  for (const path of ['/', '/head', '/flush']) {
    const answer = await fetch(`http://127.0.0.1:${port(bound.server)}${path}`);
    ids.add(answer.headers.get('x-request-id'));
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  }
  expect([...ids]).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/^http-[0-9a-f]+$/)));
});

test('of several answers on one connection only the last one closes it when the server stops', async () => {
  const answers: ServerResponse[] = [];
  const bound = createSurfaceServer((_request, response) => void answers.push(response));
  bound.server.listen(0, '127.0.0.1');
  await once(bound.server, 'listening');
  const client = connect(port(bound.server), '127.0.0.1');
  let text = '';
  client.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  client.write('GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n');
  await expect.poll(() => answers.length).toBe(2);
  bound.underWay.stop();
  for (const answer of answers) answer.end(`answer to ${answer.req.url}`);
  await once(client, 'close');
  bound.server.close();
  const [, first = '', second = ''] = text.split('HTTP/1.1 ');
  expect([first.includes('answer to /1'), /connection: close/i.test(first)]).toEqual([true, false]);
  expect([second.includes('answer to /2'), /connection: close/i.test(second)]).toEqual([true, true]);
});
