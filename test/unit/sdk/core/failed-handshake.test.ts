import { once } from 'node:events';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { createGatewayClient } from '@houmao/sdk';
import { Agent, fetch as fetchOfUndici } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { tlsIdentity } from '../../../support/tls-identity.js';
import { caught } from '../caught.js';
import { answerJson, serve } from '../local-server.js';

const identity = await tlsIdentity('example.test');

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A server that speaks TLS, as `example.test`, with a certificate that nobody trusts; and the connections that it had. */
async function serveTls(options: ServerOptions = {}) {
  const server = createTlsServer({ ...identity, ...options }, (_, res) => answerJson(res, 200, {}));
  const seen = { connections: 0 };
  server.on('connection', () => {
    seen.connections += 1;
  });
  return { url: `https://127.0.0.1:${await portOf(server)}`, seen };
}

/** The error of a prompt there. It has a key, and where it could help would be tried again. */
async function prompted(baseUrl: string, fetch?: (request: Request) => Promise<Response>) {
  const messages: string[] = [];
  const log = {
    level: 'warn',
    sink: ({ message }: { message: string }) => void messages.push(message),
  } as const;
  const error = await caught(createGatewayClient({ baseUrl, fetch, log }).prompt('Hello'));
  expect(messages.filter((message) => message.includes('again in'))).toEqual([]);
  return error;
}

const neverSent = {
  status: null,
  errorCode: 'connection_failed',
  sent: false,
  idempotencyKey: null,
} as const;

test('an https address of who speaks plain HTTP: nothing was sent, and where to go instead', async () => {
  const server = await serve((_, res) => answerJson(res, 200, {}));
  const url = server.url.replace('http:', 'https:');
  for (const fetch of [undefined, globalThis.fetch]) {
    const error = await prompted(url, fetch);
    expect(error).toMatchObject({ ...neverSent, hopeless: true });
    expect(error.detail).toBe(
      `No answer from ${url}: the TLS handshake failed, and nothing was sent: what listens there does not speak TLS. Try ${server.url}.`,
    );
  }
});

test('a certificate that is not trusted is refused once, and how to trust it is said', async () => {
  const { url, seen } = await serveTls();
  const error = await prompted(url);
  expect(error).toMatchObject({ ...neverSent, hopeless: true });
  expect(error.detail).toMatch(
    /the TLS handshake failed, and nothing was sent: its certificate is refused \(self-signed certificate[^)]*\)\. Start this program with NODE_EXTRA_CA_CERTS=<file>/,
  );
  expect(seen.connections).toBe(1);
});

test('a certificate for another name says for which it is not', async () => {
  const { url } = await serveTls();
  const dispatcher = new Agent({ connect: { ca: identity.cert } });
  onTestFinished(() => dispatcher.close());
  const error = await prompted(url, async (request) => {
    const answer = await fetchOfUndici(request.url, { dispatcher });
    return new Response(await answer.text());
  });
  expect(error).toMatchObject({ ...neverSent, hopeless: true });
  expect(error.detail).toMatch(
    /nothing was sent: .*127\.0\.0\.1 is not in the cert's list\. Call it by a name that its certificate has\.$/,
  );
});

test('two sides without a version in common are reported without a line of OpenSSL', async () => {
  const { url } = await serveTls({
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  });
  const error = await prompted(url);
  expect(error).toMatchObject({ ...neverSent, hopeless: true });
  expect(error.detail).toMatch(/both sides have no way of it in common \(tlsv1 alert protocol version\)\. /);
});

test('a handshake that is cut is tried again: who listens may have been going away', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.once('data', () => socket.end());
  });
  const url = `https://127.0.0.1:${await portOf(server)}`;
  const error = await caught(createGatewayClient({ baseUrl: url, maxRetries: 1 }).prompt('Hello'));
  expect(error).toMatchObject({ ...neverSent, hopeless: false });
  expect(error.detail).toContain(
    'the TLS handshake failed, and nothing was sent: the other side broke it off.',
  );
  expect(connections).toBe(2);
});
