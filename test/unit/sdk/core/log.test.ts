import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createGatewayClient, type LogEntry, type LogLevel } from '@houmao/sdk';
import { createHoumaoClient } from '@houmao/sdk/managed-agent';
import { expect, test } from 'vitest';
import { createLog } from '../../../../sdk/dist/core/log.js';
import { createSurfaceClient } from '../../../../sdk/dist/core/surface-client.js';
import { answerJson, type Handler, serve } from '../local-server.js';
import { library } from './library-surface.js';

const health = { protocol_version: 'v1', status: 'ok' };

/** A gateway that drops the first call, refuses the second, and answers the others. */
async function threeCalls(level: LogLevel) {
  let calls = 0;
  const handle: Handler = (_, res) => {
    calls += 1;
    if (calls === 1) return void res.destroy();
    if (calls === 2) return answerJson(res, 200, health);
    answerJson(res, 404, { detail: 'Gone.' }, { 'X-Houmao-Error-Code': 'unknown_request' });
  };
  const server = await serve(handle);
  const entries: LogEntry[] = [];
  const sink = (entry: LogEntry) => void entries.push(entry);
  const client = createGatewayClient({ baseUrl: server.url, log: { level, sink } });
  await client.getHealth();
  await client.getRequest({ path: { request_id: 'gwreq-1' } }).catch(() => undefined);
  await client.getHealth({ signal: AbortSignal.abort() }).catch(() => undefined);
  await server.close();
  await client.getHealth({ maxRetries: 0 }).catch(() => undefined);
  return { url: server.url, entries };
}

test('each level tells what it is for', async () => {
  const reported = async (level: LogLevel) =>
    (await threeCalls(level)).entries.map((entry) => [entry.level, entry.operationId, entry.errorCode]);
  const failed = ['error', 'getHealth', 'connection_failed'];
  const repeated = ['warn', 'getHealth', 'connection_failed'];
  const refused = ['warn', 'getRequest', 'unknown_request'];
  const ended = ['info', 'getHealth', null];
  const aborted = ['info', 'getHealth', 'aborted'];
  expect(await reported('off')).toEqual([]);
  expect(await reported('error')).toEqual([failed]);
  expect(await reported('warn')).toEqual([repeated, refused, failed]);
  expect(await reported('info')).toEqual([repeated, ended, refused, aborted, failed]);
  expect((await reported('debug')).filter(([level]) => level === 'debug')).toEqual([
    ['debug', 'getHealth', 'connection_failed'],
    ['debug', 'getHealth', null],
    ['debug', 'getRequest', 'unknown_request'],
    ['debug', 'getHealth', 'connection_failed'],
  ]);
});

test('an entry says what was called, how it went, and how the server knows it', async () => {
  const { entries, url } = await threeCalls('warn');
  expect(entries[1]).toMatchObject({
    baseUrl: url,
    method: 'GET',
    path: '/v1/requests/{request_id}',
    status: 404,
    tries: 1,
    httpRequestId: 'http-0001',
  });
  expect(entries[1]?.message).toMatch(
    /^getRequest GET \/v1\/requests\/\{request_id\}: failed with 404 unknown_request, try 1, \d+ ms \(http-0001\)$/,
  );
  expect(entries[0]?.message).toMatch(/connection_failed, again in \d+ ms, try 1/);
});

test('no prompt, no answer, no mail, no key and no token is in it, at any level, whatever happens', async () => {
  const secrets = ['my-token', 'my prompt', 'my answer', 'my mail', 'my key', 'my query', 'my path'];
  let calls = 0;
  const server = await serve((_, res) => {
    calls += 1;
    const detail = [{ type: 'x', loc: ['body'], msg: secrets.join(), input: secrets.join() }];
    if (calls % 3 === 0) return answerJson(res, 422, { detail });
    if (calls % 3 === 1) return void res.writeHead(500).end(secrets.join());
    answerJson(res, 200, { detail: secrets.join() });
  });
  const entries: string[] = [];
  const log = {
    level: 'debug',
    sink: (entry: LogEntry) => void entries.push(JSON.stringify(entry)),
  } as const;
  const client = createGatewayClient({ baseUrl: server.url, token: 'my-token', log });
  const agent = createHoumaoClient({ baseUrl: server.url, token: 'my-token', log }).agent('my path');
  const mail = { to: ['a@b'], subject: 'my mail', body_content: 'my mail' };
  const headers = { 'Idempotency-Key': 'my key' };
  const failing = (fetch: () => Promise<Response>) =>
    createGatewayClient({ baseUrl: server.url, fetch, log });
  for (let round = 0; round < 3; round += 1)
    await Promise.allSettled([
      client.submit('my prompt', { idempotencyKey: 'my key' }),
      client.control('my prompt'),
      client.sendMail({ body: mail, headers }),
      client.getRequest({ path: { request_id: 'my path' } }),
      client.requests({ state: 'my query' as 'failed' }).next(),
      client.GET('/v1/requests', { params: { query: { cursor: 'my query' } } }),
      client.POST('/v1/mail/send', { body: mail, headers: { 'X-Mine': 'my key' } }),
      agent.submit('my prompt'),
      agent.sendAgentMail({ body: mail }),
      failing(async () => Promise.reject(new Error('my prompt'))).getHealth({ maxRetries: 0 }),
    ]);
  expect(entries.length).toBeGreaterThan(40);
  for (const secret of secrets) expect(entries.filter((entry) => entry.includes(secret))).toEqual([]);
});

test.each([
  [
    'HOUMAO_LOG',
    { HOUMAO_LOG: 'info' },
    /^houmao \S+Z info http:\S+ getHealth GET \/health: ended with 200, try 1/,
  ],
  ['no HOUMAO_LOG', {}, /^$/],
  [
    'a wrong one',
    { HOUMAO_LOG: 'loud' },
    /^houmao: HOUMAO_LOG must be off, error, warn, info, debug, such as HOUMAO_LOG=debug/,
  ],
])('%s in Node: on standard error, and nothing on standard output', async (_name, env, expected) => {
  const server = await serve((_, res) => answerJson(res, 200, health));
  const program = `import { createGatewayClient } from '@houmao/sdk';
    await createGatewayClient({ baseUrl: '${server.url}' }).getHealth();`;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', program],
    {
      env: { PATH: process.env.PATH, ...env },
    },
  );
  expect([stdout, stderr]).toEqual(['', expect.stringMatching(expected)]);
});

test('a level that there is not is a mistake of the program', () => {
  for (const log of ['loud', { level: 'loud' }])
    expect(() => createGatewayClient({ baseUrl: 'http://127.0.0.1:1', log: log as LogLevel })).toThrow(
      new TypeError(`log must be off, error, warn, info, debug, such as log: 'debug'`),
    );
});

test('a sink that fails changes no call, and is reported', () => {
  const printed: string[] = [];
  const sink = () => {
    throw new Error('disk full');
  };
  const around = {
    level: () => 'off' as const,
    print: (_level: string, line: string) => void printed.push(line),
  };
  const log = createLog({ level: 'info', sink }, around, 'http://127.0.0.1:1');
  log({
    level: 'info',
    what: 'x',
    operationId: null,
    method: 'GET',
    path: '/',
    tries: 1,
    durationMs: 1,
    status: 200,
    errorCode: null,
    httpRequestId: null,
  });
  expect(printed).toEqual(['houmao: the sink of the log failed: Error: disk full']);
});

test('calls name the SDK, its contract and what they run in, unless they name themselves', async () => {
  const server = await serve((_, res) => answerJson(res, 200, []));
  const client = createSurfaceClient(library, { baseUrl: server.url });
  await client.listBooks();
  await client.GET('/books', { headers: { 'User-Agent': 'mine' } });
  await createGatewayClient({ baseUrl: server.url }).getHealth();
  const { environment } = library;
  const inPage = { ...library, environment: { ...environment, runtime: null } };
  await createSurfaceClient(inPage, { baseUrl: server.url }).listBooks();
  const [library_, own, gateway, page] = server.received.map(({ headers }) => headers['user-agent']);
  expect(library_).toBe('houmao-sdk/7.0.0 (contract library 2.1.0; reading room 3)');
  expect(own).toBe('mine');
  const node = process.versions.node.replaceAll('.', '\\.');
  expect(gateway).toMatch(
    new RegExp(`^houmao-sdk/\\d+\\.\\d+\\.\\d+ \\(contract gateway \\d+\\.\\d+\\.\\d+; node ${node}\\)$`),
  );
  expect(page).not.toContain('houmao');
});
