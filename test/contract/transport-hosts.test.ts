import { describe, expect, test } from 'vitest';
import { acceptedIn } from './support/events.js';
import { raw, request } from './support/raw-http.js';
import { type Served, serve } from './support/served.js';

const body = '{"kind":"interrupt","payload":{}}';
const json = { 'Content-Type': 'application/json' };

const sender = (served: Served) => ({
  host: (host: string) => raw(served.gateway.port, request('GET /health', { Host: host })),
  origin: (origin: string, method = 'GET', headers: Record<string, string> = {}) =>
    raw(served.gateway.port, request(`${method} /v1/requests`, { Origin: origin, ...headers })),
  post: (headers: Record<string, string>) =>
    raw(served.gateway.port, request('POST /v1/requests', { ...json, ...headers }, body)),
});

describe('by default', () => {
  const served = serve();
  const send = sender(served);

  test.each([
    'localhost',
    'LOCALHOST',
    'LocalHost:80',
    'localhost.',
    'localhost.:1234',
    '127.0.0.1',
    '127.0.0.1:1',
    '127.0.0.2',
    '127.255.255.254',
    '[::1]',
    '[::1]:65535',
  ])('Host %s is served', async (host) => {
    expect((await send.host(host)).status).toBe(200);
  });

  test.each([
    'evil.example',
    'evil.example:80',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.example#localhost',
    'evil.example@127.0.0.1',
    'localhost@evil.example',
    '128.0.0.1',
    '10.0.0.1',
    '0.0.0.0',
    '2130706433',
    '0x7f000001',
    '127.1',
    '[::2]',
    '[::ffff:127.0.0.1]',
    '::1',
    'gateway.internal',
    '',
    ':80',
    'localhost:port',
    'localhost..',
  ])('Host %s is 421, and says how to admit it', async (host) => {
    const answer = await send.host(host);
    expect([answer.status, answer.json.detail]).toEqual([421, expect.stringContaining('--allowed-host')]);
  });

  test('no Host, or two, is 400', async () => {
    for (const hosts of [
      '',
      'Host: localhost\r\nHost: localhost\r\n',
      'Host: localhost\r\nHost: evil.example\r\n',
    ]) {
      const answer = await raw(served.gateway.port, `GET /health HTTP/1.1\r\n${hosts}\r\n`);
      expect([answer.status, answer.closed]).toEqual([400, true]);
    }
    expect((await raw(served.gateway.port, 'GET /health HTTP/1.0\r\n\r\n')).status).toBe(421);
  });

  test.each([
    'https://evil.example',
    'http://evil.example',
    'null',
    'http://127.0.0.1:1',
    'https://127.0.0.1',
    'http://127.0.0.1/',
    'http://127.0.0.1.evil.example',
    'HTTP://127.0.0.1',
    'http://localhost',
    'file://',
    '*',
    '',
  ])('Origin %s is 403 and gets no leave to read', async (origin) => {
    const answer = await send.origin(origin);
    expect([answer.status, answer.json.detail]).toEqual([403, expect.stringContaining('--allowed-origin')]);
    expect(answer.headers.get('access-control-allow-origin')).toBeUndefined();
  });

  test('a foreign page cannot submit, nor ask whether it may', async () => {
    const before = acceptedIn(served.session.paths);
    for (const origin of ['https://evil.example', 'null']) {
      expect((await send.post({ Origin: origin })).status).toBe(403);
      const preflight = await send.origin(origin, 'OPTIONS', { 'Access-Control-Request-Method': 'POST' });
      expect(preflight.status).toBe(403);
    }
    // A form needs no preflight, but it cannot send JSON.
    expect((await send.post({ 'Content-Type': 'application/x-www-form-urlencoded' })).status).toBe(415);
    expect(acceptedIn(served.session.paths)).toEqual(before);
  });

  test('the page of this server, by the name it was called, may', async () => {
    for (const host of [`127.0.0.1:${served.gateway.port}`, 'localhost:9999', 'LOCALHOST']) {
      const answer = await send.post({ Host: host, Origin: `http://${host.toLowerCase()}` });
      expect([host, answer.status]).toEqual([host, 202]);
      expect(answer.headers.get('access-control-allow-origin')).toBeUndefined();
    }
  });

  test('OPTIONS of the own page is an ordinary 405', async () => {
    const answer = await send.origin('http://127.0.0.1', 'OPTIONS');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });
});

describe('with --allowed-host and --allowed-origin', () => {
  const flags = [
    '--allowed-host',
    'Gateway.Internal',
    '--allowed-host',
    'two.example',
    '--allowed-origin',
    'https://app.example',
  ];
  const served = serve(() => undefined, { flags });
  const send = sender(served);

  test('the named hosts are served, in any case and with any port, and no others', async () => {
    for (const host of [
      'gateway.internal',
      'GATEWAY.internal:8443',
      'gateway.internal.',
      'two.example',
      'localhost',
    ]) {
      expect([host, (await send.host(host)).status]).toEqual([host, 200]);
    }
    for (const host of ['internal', 'x.gateway.internal', 'gateway.internal.evil.example']) {
      expect([host, (await send.host(host)).status]).toEqual([host, 421]);
    }
  });

  test('the named origin may read answers and the headers that matter', async () => {
    const answer = await send.post({ Origin: 'https://app.example' });
    expect(answer.status).toBe(202);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      vary: 'Origin',
      'access-control-expose-headers': expect.stringContaining('X-Houmao-Turn-Id'),
    });
    expect(answer.headers.get('access-control-allow-credentials')).toBeUndefined();
    const refused = await send.origin('https://app.example', 'PATCH');
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([
      405,
      'https://app.example',
    ]);
  });

  test('its preflight is 204 and names what may be sent', async () => {
    const answer = await send.origin('https://app.example', 'OPTIONS', {
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type,idempotency-key',
    });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
      'access-control-allow-headers':
        'Authorization, Content-Type, Idempotency-Key, X-Houmao-Metadata, Last-Event-ID, X-Houmao-If-Turn',
    });
  });

  test.each([
    'http://app.example',
    'https://app.example:444',
    'https://app.example.evil.example',
    'https://sub.app.example',
    'null',
  ])('Origin %s is 403 all the same', async (origin) => {
    expect((await send.origin(origin)).status).toBe(403);
  });
});
