import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readEvents } from '../../contract/support/events.js';
import { request } from '../../contract/support/raw-http.js';
import { serve } from '../../contract/support/served.js';
import { needsRoot } from '../../support/run/needs.js';
import { gatewayProgram, makeSession, type TestSession } from '../../support/test-session.js';
import { askAs, otherUser } from './other-user.js';

const status = request('GET /v1/status', { Connection: 'close' });
const interrupt = (headers: Record<string, string> = {}) =>
  request(
    'POST /v1/requests',
    { 'Content-Type': 'application/json', Connection: 'close', ...headers },
    '{"kind":"interrupt","payload":{}}',
  );
const firstLine = (answer: string) => answer.split('\r\n')[0];

describe('a gateway on loopback', () => {
  const served = serve();
  const token = () => readFileSync(served.session.paths.accessToken, 'utf8').trim();

  test('serves its own user without a token, and with the right one', async () => {
    expect((await served.ask('GET', '/v1/status')).status).toBe(200);
    const authorization = `Bearer ${token()}`;
    expect((await served.ask('GET', '/v1/status', undefined, { authorization })).status).toBe(200);
  });

  test.each([...['Bearer wrong', 'Basic eDp5', 'Bearer'].map((text) => [text] as const)])(
    'refuses %s of any caller',
    async (authorization) => {
      const answer = await served.ask('GET', '/v1/status', undefined, { authorization });
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
        401,
        'Bearer realm="houmao-gateway"',
      ]);
    },
  );

  test('refuses another user, who changes nothing', needsRoot, async () => {
    const { port } = served.gateway;
    for (const path of [
      'GET /health',
      'GET /docs/openapi.json',
      'GET /v1/nothing',
      'DELETE /v1/mail-notifier',
    ]) {
      const answer = await askAs(otherUser, port, request(path, { Connection: 'close' }));
      expect([path, firstLine(answer)]).toEqual([path, 'HTTP/1.1 403 Forbidden']);
      expect(answer).toContain('--allowed-user');
    }
    expect(firstLine(await askAs(otherUser, port, interrupt()))).toBe('HTTP/1.1 403 Forbidden');
    await askAs(otherUser, port, interrupt(), 'hang up');
    expect((await served.ask('GET', '/v1/requests')).body.requests).toEqual([]);
    expect((await readEvents(served.session.paths)).filter(({ kind }) => kind === 'accepted')).toEqual([]);
  });

  test('serves another user who presents the token', needsRoot, async () => {
    const answer = await askAs(
      otherUser,
      served.gateway.port,
      status.replace('\r\n', `\r\nAuthorization: Bearer ${token()}\r\n`),
    );
    expect(firstLine(answer)).toBe('HTTP/1.1 200 OK');
  });
});

describe('with --allowed-user', needsRoot, () => {
  const byName = execFileSync('id', ['-un', String(otherUser)], { encoding: 'utf8' }).trim();
  const served = serve(() => undefined, { flags: ['--allowed-user', byName] });

  test('that user may call', async () => {
    expect(firstLine(await askAs(otherUser, served.gateway.port, status))).toBe('HTTP/1.1 200 OK');
  });

  test('and no other', async () => {
    expect(firstLine(await askAs(otherUser - 1, served.gateway.port, status))).toBe('HTTP/1.1 403 Forbidden');
  });
});

/** In a network of its own, 192.0.2.1 (a documentation address) is an address of this machine and nothing goes out. */
describe('a gateway on every address', () => {
  let session: TestSession;
  let reported: Record<string, unknown>;
  beforeAll(async () => {
    session = await makeSession();
    const inside = `ip link set lo up && ip addr add 192.0.2.1/32 dev lo || exit 9
      "$1" "$2" --gateway-root "$3" --host 0.0.0.0 --port 0 --allowed-host 192.0.2.1 > "$3/announced" &
      gateway=$!
      until grep -q 'http://' "$3/announced"; do kill -0 $gateway || exit 8; sleep 0.05; done
      port=$(sed -E 's|.*127.0.0.1:([0-9]+) .*|\\1|' "$3/announced")
      "$1" "$4" "$port" "$(cat "$3/gateway/access-token")"
      kill $gateway; wait $gateway`;
    const script = fileURLToPath(new URL('./beyond-loopback.mjs', import.meta.url));
    const child = spawn(
      'unshare',
      [
        '--map-root-user',
        '--net',
        'sh',
        '-c',
        inside,
        'sh',
        process.execPath,
        gatewayProgram,
        session.paths.root,
        script,
      ],
      { env: session.environment, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    await once(child, 'close');
    reported = JSON.parse(printed) as Record<string, unknown>;
  });
  afterAll(() => session.remove());

  const refused = [401, 'Bearer realm="houmao-gateway"', expect.stringContaining('"detail"')];

  test.each([
    'bare',
    'health',
    'docs',
    'contract',
    'dots',
    'posted',
    'unknown',
    'cancel',
    'query',
    'wrong',
    'loopbackWrong',
  ])('refuses without the token, or with a wrong one: %s', (call) => {
    expect(reported[call]).toEqual(refused);
  });

  test('sends everybody the page without its document, which asks for the token', () => {
    expect(reported).toMatchObject({
      page: [200, null, expect.stringContaining('<!DOCTYPE html>')],
      script: [200, null, expect.any(String)],
    });
  });

  test('serves callers who present the token, and local clients as before', () => {
    expect(reported).toMatchObject({
      right: [200, null, expect.any(String)],
      loopback: [200, null, expect.any(String)],
    });
  });

  test('is reached by the SDK, which finds the token by itself where it may read it', () => {
    expect(reported).toMatchObject({
      sdkFinds: 'healthy',
      sdkGiven: 'healthy',
      sdkByVariable: 'healthy',
      sdkGivenWrong: 401,
      sdkFindsNone: 401,
    });
  });
});

test('a token that others could read keeps the gateway from starting, with path and remedy', async () => {
  const session = await makeSession();
  const { paths } = session;
  const start = () =>
    spawn(
      process.execPath,
      [gatewayProgram, '--gateway-root', paths.root, '--host', '127.0.0.1', '--port', '0'],
      { env: session.environment, stdio: ['ignore', 'pipe', 'pipe'] },
    );
  const first = start();
  await once(first.stdout, 'data');
  first.kill('SIGTERM');
  await once(first, 'exit');
  chmodSync(paths.accessToken, 0o640);
  const second = start();
  let stderr = '';
  second.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = await once(second, 'exit');
  expect([code, stderr]).toEqual([1, expect.stringContaining(`${paths.accessToken}: others could read`)]);
  session.remove();
});
