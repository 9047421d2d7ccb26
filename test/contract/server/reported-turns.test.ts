import { readFileSync, truncateSync } from 'node:fs';
import { expect, test } from 'vitest';
import { turnArtifacts } from '../../../src/session/session-paths.js';
import { takenPrompts } from '../../e2e/recovery/evidence.js';
import { pathOf } from '../../e2e/server/turns-of.js';
import { agentAtServerEach } from '../support/agent-at-server.js';

// The routes that tell of a turn say the same of it.

const here = agentAtServerEach();

const get = async (rest: string) => (await here.server.ask('GET', pathOf(here.session, rest))).body;

test.each([
  ['hello', 'completed', 0, /^Turn turn-[0-9a-f]{12} completed successfully\.$/],
  ['[[exit=3]] bad', 'failed', 3, /^Turn turn-[0-9a-f]{12} failed: \S.*code 3/],
  ['[[crash]] worse', 'failed', -9, /^Turn turn-[0-9a-f]{12} failed: \S.*SIGKILL/],
])('of `%s`, which %s', async (prompt, status, returncode, sentence) => {
  const begun = await here.server.ask('POST', pathOf(here.session, '/turns'), { prompt });
  const turn = await get(`/turns/${begun.body.turn_id}?wait_seconds=30`);
  expect(turn).toMatchObject({ status, returncode, history_summary: expect.stringMatching(sentence) });
  expect((await get('/state/detail')).detail).toMatchObject({
    last_turn_status: status,
    last_turn_returncode: returncode,
    last_turn_error: turn.error,
    last_turn_history_summary: turn.history_summary,
    last_turn_completed_at_utc: turn.completed_at_utc,
    last_turn: { turn_id: turn.turn_id, turn_index: 1, updated_at_utc: turn.completed_at_utc },
  });
  expect((await get('/history')).entries).toMatchObject([
    { turn_id: turn.turn_id, summary: turn.history_summary, recorded_at_utc: turn.completed_at_utc },
  ]);
});

test('that runs and was interrupted: since when, and only of that turn', async () => {
  const prompt = '[[ignore-signals]] [[slow=3600000]] deaf';
  const begun = await here.server.ask('POST', pathOf(here.session, '/turns'), { prompt });
  await expect.poll(async () => (await get(`/turns/${begun.body.turn_id}/events`)).entries).not.toEqual([]);
  const asked = async () => (await get('/state/detail')).detail.active_turn_interrupt_requested_at_utc;
  expect(await asked()).toBeNull();
  const interrupted = await here.server.ask('POST', pathOf(here.session, '/interrupt'));
  expect(interrupted.body).toMatchObject({ turn_id: begun.body.turn_id });
  const since = await asked();
  expect(Date.parse(since)).toBeGreaterThanOrEqual(
    Date.parse((await get('/history')).entries[0].recorded_at_utc),
  );
  for (const { pid } of takenPrompts(here.session.ledger)) process.kill(pid, 'SIGKILL');
  expect((await get(`/turns/${begun.body.turn_id}?wait_seconds=30`)).status).not.toBe('active');
  expect(await asked()).toBeNull();
  const next = await here.server.ask('POST', pathOf(here.session, '/turns'), {
    prompt: '[[slow=1000]] next',
  });
  expect(await asked()).toBeNull();
  await get(`/turns/${next.body.turn_id}?wait_seconds=30`);
});

test('in the history: the latest first, and no more than were asked for', async () => {
  const turns: string[] = [];
  for (const prompt of ['one', 'two', 'three']) {
    const { body } = await here.server.ask('POST', pathOf(here.session, '/turns'), { prompt });
    await get(`/turns/${body.turn_id}?wait_seconds=30`);
    turns.unshift(body.turn_id);
  }
  const reported = async (query: string): Promise<string[]> =>
    (await get(`/history${query}`)).entries.map((entry: { turn_id: string }) => entry.turn_id);
  expect(await reported('')).toEqual(turns);
  expect(await reported('?limit=2')).toEqual(turns.slice(0, 2));
  expect(await reported('?limit=500')).toEqual(turns);
});

test('with all of its events, unless they are too much for one answer', async () => {
  const { body } = await here.server.ask('POST', pathOf(here.session, '/turns'), { prompt: 'hello' });
  await get(`/turns/${body.turn_id}?wait_seconds=30`);
  const { canonicalEvents, stdout } = turnArtifacts(here.session.paths, body.turn_id);
  const lines = readFileSync(canonicalEvents, 'utf8').split('\n').length - 1;
  expect((await get(`/turns/${body.turn_id}/events`)).entries).toHaveLength(lines);
  // Files with holes.
  truncateSync(canonicalEvents, 65 * 1024 * 1024);
  truncateSync(stdout, 1024 * 1024 * 1024);
  const events = await here.server.ask('GET', pathOf(here.session, `/turns/${body.turn_id}/events`));
  expect(events).toMatchObject({
    status: 503,
    body: { detail: expect.stringMatching(/65 MiB.*artifacts\/stdout/) },
  });
  const path = pathOf(here.session, `/turns/${body.turn_id}/artifacts/stdout`);
  const end = await fetch(here.server.url + path, { headers: { Range: 'bytes=-3' } });
  expect([end.status, (await end.arrayBuffer()).byteLength]).toEqual([206, 3]);
  expect(end.headers.get('content-range')).toBe('bytes 1073741821-1073741823/1073741824');
});

test('whose prompt was trimmed on its way through the server, and left as it came through the gateway', async () => {
  const requests = (prompt: string) =>
    here.server.ask('POST', pathOf(here.session, '/requests'), { request_kind: 'submit_prompt', prompt });
  const over = async (answer: { headers: Headers }) =>
    get(`/turns/${answer.headers.get('x-houmao-turn-id')}/record?wait_seconds=30`);
  await over(await requests('  by the server \n'));
  expect((await here.server.ask('POST', pathOf(here.session, '/gateway/attach'), {})).status).toBe(200);
  await over(await requests('  by way of the server \n'));
  const passed = await here.server.ask('POST', pathOf(here.session, '/gateway/requests'), {
    schema_version: 1,
    kind: 'submit_prompt',
    payload: { prompt: '  as it is \n' },
  });
  await get(`/gateway/requests/${passed.body.request_id}?wait_seconds=30`);
  await here.server.ask('POST', pathOf(here.session, '/gateway/detach'));
  expect(takenPrompts(here.session.ledger).map(({ prompt }) => prompt)).toEqual([
    ...['by the server', 'by way of the server', '  as it is \n'],
  ]);
});
