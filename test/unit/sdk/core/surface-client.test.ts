import { expect, test } from 'vitest';
import { createSurfaceClient } from '../../../../sdk/dist/core/surface-client.js';
import { answerJson, type Handler, serve } from '../local-server.js';
import { ownTime } from '../own-time.js';
import { LibraryError, library } from './library-surface.js';

async function libraryThat(handle: Handler) {
  const server = await serve(handle);
  return {
    server,
    client: createSurfaceClient(library, { baseUrl: server.url, timeoutMs: 60_000, maxRetries: 0 }),
  };
}

const caught = (call: Promise<unknown>) => call.catch((error: unknown) => error);

test('its operations are methods, its paths go through the doors, its token is sent', async () => {
  const { server, client } = await libraryThat(({ method }, res) =>
    method === 'GET'
      ? answerJson(res, 200, [{ title: 'Momo' }])
      : answerJson(res, 202, { until: '2026-04-01' }),
  );
  const [book] = await client.listBooks({ query: { author: 'Ende' } });
  expect(book?.title).toBe('Momo');
  const loan = await client.lendBook({ path: { book: 'momo' }, body: { days: 7 } });
  expect(loan.until).toBe('2026-04-01');
  const { data } = await client.GET('/books');
  expect(data?.map(({ title }) => title)).toEqual(['Momo']);
  expect(server.received.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['GET', '/books?author=Ende', ''],
    ['POST', '/books/momo/loans', '{"days":7}'],
    ['GET', '/books', ''],
  ]);
  for (const { headers } of server.received) expect(headers.authorization).toBe('Bearer reader');
});

test('its failures are errors of its own class, with its own word', async () => {
  const refusing = await libraryThat((_, res) => answerJson(res, 409, { detail: 'It is lent.' }));
  const refused = await caught(refusing.client.lendBook({ path: { book: 'momo' }, body: { days: 7 } }));
  expect(refused).toBeInstanceOf(LibraryError);
  expect(refused).toMatchObject({ status: 409, detail: 'It is lent.', operationId: 'lendBook' });
  const foreign = await libraryThat((_, res) => void res.writeHead(502).end('Bad gateway'));
  expect(await caught(foreign.client.listBooks())).toMatchObject({
    detail: expect.stringMatching(/ library's: Bad gateway$/),
  });
  const time = ownTime();
  const silent = await libraryThat(() => undefined);
  const late = caught(silent.client.GET('/books', { timeoutMs: 30 }));
  await time.until(() => silent.server.received.length, 1);
  await time.pass(30);
  const door = await late;
  expect(door).toBeInstanceOf(LibraryError);
  expect(door).toMatchObject({ errorCode: 'timeout', operationId: 'listBooks', sent: true });
});

test('a caller’s own Authorization is left as it is', async () => {
  const { server, client } = await libraryThat((_, res) => answerJson(res, 200, []));
  await client.GET('/books', { headers: { Authorization: 'Bearer mine' } });
  expect(server.received[0]?.headers.authorization).toBe('Bearer mine');
});

test('an error says whether anything was sent', async () => {
  const { server, client } = await libraryThat((_, res) => void res.destroy());
  expect(await caught(client.listBooks())).toMatchObject({ errorCode: 'connection_failed', sent: true });
  expect(await caught(client.listBooks({ signal: AbortSignal.abort() }))).toMatchObject({
    errorCode: 'aborted',
    sent: false,
  });
  await server.close();
  expect(await caught(client.listBooks())).toMatchObject({ errorCode: 'connection_failed', sent: false });
  const byName = createSurfaceClient(library, { baseUrl: `http://localhost:${server.port}` });
  expect(await caught(byName.listBooks())).toMatchObject({ errorCode: 'connection_failed', sent: false });
  const nowhere = createSurfaceClient(library, { baseUrl: 'http://library.invalid' });
  expect(await caught(nowhere.listBooks())).toMatchObject({ errorCode: 'connection_failed', sent: false });
});

test('a port that fetch blocks is called by nobody, and the error says so', async () => {
  const tries: string[] = [];
  const log = {
    level: 'debug',
    sink: ({ message }: { message: string }) => void tries.push(message),
  } as const;
  const blocked = createSurfaceClient(library, { baseUrl: 'http://127.0.0.1:10080', log });
  expect(await caught(blocked.listBooks())).toMatchObject({
    errorCode: 'connection_failed',
    sent: false,
    hopeless: true,
    detail: expect.stringMatching(
      /^No answer from http:\/\/127\.0\.0\.1:10080: fetch refuses to call this port/,
    ),
  });
  expect(tries.filter((message) => message.includes('again in'))).toEqual([]);
});

test('a call that is stopped while its token is looked for sends nothing', async () => {
  const server = await serve((_, res) => answerJson(res, 200, []));
  const controller = new AbortController();
  const findToken = async () => {
    controller.abort();
    return null;
  };
  const slow = { ...library, environment: { ...library.environment, findToken } };
  const client = createSurfaceClient(slow, { baseUrl: server.url });
  const error = await caught(client.listBooks({ signal: controller.signal }));
  expect(error).toMatchObject({ errorCode: 'aborted', sent: false });
  expect(server.received).toHaveLength(0);
});
