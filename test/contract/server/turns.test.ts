import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { takenPrompts } from '../../e2e/recovery/evidence.js';
import { idOf, nameOf, pathOf } from '../../e2e/server/turns-of.js';
import { agentAtServerEach } from '../support/agent-at-server.js';

const here = agentAtServerEach();

const turns = (body: unknown, headers?: Record<string, string>) =>
  here.server.ask('POST', pathOf(here.session, '/turns'), body, headers);
const requests = (body: object, headers?: Record<string, string>) =>
  here.server.ask(
    'POST',
    pathOf(here.session, '/requests'),
    { request_kind: 'submit_prompt', ...body },
    headers,
  );
const ended = async (turnId: string) =>
  (await here.server.ask('GET', pathOf(here.session, `/turns/${turnId}?wait_seconds=30`))).body;

describe('a prompt', () => {
  test('is taken as a turn under each of the names of its agent', async () => {
    const { body } = await requests({ prompt: 'hello', execution: { model: { name: ' tiny ' } } });
    expect(body).toMatchObject({ disposition: 'accepted', headless_turn_index: 1 });
    expect(await ended(body.headless_turn_id)).toMatchObject({ status: 'completed' });
    const listed = await here.server.ask(
      'GET',
      pathOf(here.session, `/turns/${body.headless_turn_id}/record`),
    );
    expect(listed.body.model).toBe('tiny');
    const name = here.server.server.directory.list()[0]?.agentName;
    const next = await here.server.ask('POST', `/houmao/agents/${name}/turns`, { prompt: 'again' });
    expect(next.body).toMatchObject({ tracked_agent_id: idOf(here.session), turn_index: 2 });
    await ended(next.body.turn_id);
  });

  test('that no turn can be made of is refused before anything runs', async () => {
    const current = await turns({ prompt: 'x', chat_session: { mode: 'current' } });
    expect(current).toMatchObject({ status: 409, body: { detail: expect.stringContaining('no pinned') } });
    const level = await requests({ prompt: 'x', execution: { model: { reasoning: { level: 0 } } } });
    expect(level).toMatchObject({ status: 422, body: { detail: expect.stringContaining('effort level') } });
    for (const body of [
      {},
      { prompt: ' ' },
      { prompt: 'x', chat_session: { mode: 'exact' } },
      { prompt: 'x', more: 1 },
    ])
      expect((await turns(body)).status).toBe(422);
    const nobody = await here.server.ask('POST', '/houmao/agents/nobody/turns', { prompt: 'x' });
    expect(nobody).toMatchObject({ status: 404, body: { detail: expect.stringContaining('nobody') } });
    expect(takenPrompts(here.session.ledger)).toEqual([]);
  });

  test.each([
    ['before the server has looked', false],
    ['once it has', true],
  ])('for an agent that has gone is refused as unavailable, %s', async (_when, hasLooked) => {
    const { directory } = here.server.server;
    // It follows no change by itself any more.
    directory.close();
    rmSync(here.session.paths.manifest);
    if (hasLooked) await directory.changed();
    expect((await requests({ prompt: 'x' })).status).toBe(503);
    expect((await turns({ prompt: 'x' })).status).toBe(409);
  });
});

describe('a key', () => {
  const key = { 'Idempotency-Key': 'once' };

  test('has a prompt taken once, however often it is repeated, also while the turn runs and afterwards', async () => {
    const body = { prompt: '[[slow=1000]] once' };
    const [first, ...more] = await Promise.all([turns(body, key), turns(body, key), turns(body, key)]);
    const turnId: string = first?.body.turn_id;
    for (const answer of more) expect(answer).toMatchObject({ status: 200, body: { turn_id: turnId } });
    const replays = [first, ...more].filter(
      (answer) => answer?.headers.get('idempotency-replayed') === 'true',
    );
    expect(replays).toHaveLength(2);
    expect(await ended(turnId)).toMatchObject({ status: 'completed' });
    const after = await turns(body, key);
    expect(after.headers.get('idempotency-replayed')).toBe('true');
    expect(after.body).toEqual(first?.body);
    expect(takenPrompts(here.session.ledger)).toHaveLength(1);
  });

  test('that was used with another body, or elsewhere, is refused', async () => {
    const { body } = await turns({ prompt: 'one' }, key);
    await ended(body.turn_id);
    for (const refused of [await turns({ prompt: 'two' }, key), await requests({ prompt: 'one' }, key)])
      expect(refused).toMatchObject({
        status: 422,
        body: { detail: expect.stringContaining('Idempotency-Key') },
      });
  });

  test('brings the first answer also when the agent cannot be prompted any more', async () => {
    const { body } = await requests({ prompt: 'last words' }, key);
    await ended(body.headless_turn_id);
    const manifest = JSON.parse(readFileSync(here.session.paths.manifest, 'utf8'));
    manifest.launch_plan.executable = '/nowhere/agent';
    writeFileSync(here.session.paths.manifest, JSON.stringify(manifest));
    expect((await requests({ prompt: 'other' })).status).toBe(503);
    const again = await requests({ prompt: 'last words' }, key);
    expect(again).toMatchObject({ status: 200, body });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });
});

describe('a turn', () => {
  test('that nobody knows is 404 in each of its parts', async () => {
    for (const part of ['', '/record', '/events', '/artifacts/stdout', '/artifacts/stderr'])
      expect(await here.server.ask('GET', pathOf(here.session, `/turns/turn-unknown${part}`))).toMatchObject({
        status: 404,
        body: { detail: `No turn \`turn-unknown\` of agent \`${nameOf(here.session)}\`.` },
      });
  });

  test('that runs is active, shows its events, and has no files to read yet', async () => {
    const { body } = await turns({ prompt: '[[slow=3600000]] busy' });
    const path = pathOf(here.session, `/turns/${body.turn_id}`);
    const active = await here.server.ask('GET', path);
    expect(active.body).toMatchObject({
      status: 'active',
      completed_at_utc: null,
      returncode: null,
      stdout_path: null,
      stderr_path: null,
      status_path: null,
    });
    await expect
      .poll(async () => (await here.server.ask('GET', `${path}/events`)).body.entries.length)
      .toBeGreaterThan(0);
    expect((await turns({ prompt: 'another' })).status).toBe(409);
    expect((await requests({ prompt: 'another' })).status).toBe(409);
    await here.server.ask('POST', pathOf(here.session, '/interrupt'));
    await ended(body.turn_id);
  });

  test('whose agent fails says why, with the exit code', async () => {
    const { body } = await turns({ prompt: '[[exit=3]] bad' });
    expect(await ended(body.turn_id)).toMatchObject({ status: 'failed', returncode: 3 });
    const reported = await ended(body.turn_id);
    expect(reported.error).toContain('code 3');
    const beyond = await here.server.ask(
      ...(['GET', pathOf(here.session, `/turns/${body.turn_id}/artifacts/stderr`), undefined] as const),
      { Range: 'bytes=900000-' },
    );
    expect(beyond.status).toBe(416);
  });
});
