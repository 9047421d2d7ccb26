import { expect, test } from 'vitest';
import type { Schemas } from '../../../../sdk/src/managed-agent/contract.js';
import { followOverview } from '../../../../sdk/src/managed-agent/host-overview.js';
import { HoumaoError } from '../../../../sdk/src/managed-agent/houmao-error.js';

type Overview = Schemas['HostOverview'];
type Asked = { after?: string; wait_seconds: number };

const overview = (version: string): Overview => ({
  schema_version: 1,
  version,
  observed_at_utc: '2026-01-01T00:00:00.000000+00:00',
  agents: [],
});
const stopping = () =>
  new HoumaoError({
    status: 503,
    operationId: 'getHostOverview',
    errorCode: 'unavailable',
    httpRequestId: null,
    detail: 'The server is stopping.',
  });

/** Answers one after the other, and then no more. */
function answering(...answers: (Overview | (() => Error))[]) {
  const asked: Asked[] = [];
  const get = async ({ query, signal }: { query: Asked; signal?: AbortSignal }): Promise<Overview> => {
    asked.push(query);
    const next = answers.shift();
    if (typeof next === 'function') throw next();
    if (next !== undefined) return next;
    return new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  };
  return { asked, get: get as unknown as Parameters<typeof followOverview>[0] };
}

test('each version comes once, each call behind the last one, also over a restart of the server', async () => {
  const { asked, get } = answering(overview('a'), overview('a'), stopping, overview('b'));
  const leaving = new AbortController();
  const seen: string[] = [];
  for await (const { version } of followOverview(get, { signal: leaving.signal })) {
    seen.push(version);
    if (version === 'b') leaving.abort();
  }
  expect(seen).toEqual(['a', 'b']);
  expect(asked.map(({ after }) => after)).toEqual([undefined, 'a', 'a', 'a']);
  expect(asked.every(({ wait_seconds }) => wait_seconds > 0)).toBe(true);
});

test('the signal ends the loop while it waits, without an error', async () => {
  const { get } = answering(overview('a'));
  const leaving = new AbortController();
  const following = followOverview(get, { after: 'a', signal: leaving.signal });
  const next = following.next();
  leaving.abort();
  expect(await next).toEqual({ done: true, value: undefined });
});

test('a refusal ends the stream with its error', async () => {
  const refused = () =>
    new HoumaoError({
      status: 401,
      operationId: 'getHostOverview',
      errorCode: 'token_refused',
      httpRequestId: null,
      detail: 'No.',
    });
  const { get } = answering(refused);
  await expect(followOverview(get).next()).rejects.toMatchObject({ status: 401 });
});
