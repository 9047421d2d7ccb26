import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { managedHost, type ServerProcess, startManagedServer } from '../../support/managed-server.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { agentsOf, takenPrompts } from '../recovery/evidence.js';
import { nameOf, pathOf } from './turns-of.js';

// The server beside an agent whose turns its gateway runs.

let session: TestSession;
let server: ServerProcess;
let gateway: GatewayProcess;
beforeEach(async () => {
  session = await makeSession();
  server = await startManagedServer(managedHost(session.folder), session.folder);
  gateway = await startGateway(session);
});
afterEach(async () => {
  await gateway.stop();
  await server.stop();
  expect(agentsOf(session)).toEqual([]);
  session.remove();
});

const post = (rest: string, body?: unknown) => server.ask('POST', pathOf(session, rest), body);
const turnOf = async (turnId: string, wait = 0) =>
  (await server.ask('GET', pathOf(session, `/turns/${turnId}?wait_seconds=${wait}`))).body;
const payload = { prompt: '[[slow=60000]] by itself', turn_id: 'turn-of-its-own' };

test.each([
  ['/gateway/requests', { schema_version: 1, kind: 'submit_prompt', payload }],
  ['/gateway/control/prompt', { schema_version: 1, prompt: payload.prompt }],
])(
  'a prompt by %s is a turn like any other, and an interrupt does not wait behind it',
  async (rest, body) => {
    const sent = await post(rest, body);
    expect([sent.status, sent.body.detail]).toEqual([200, sent.body.detail]);
    await expect.poll(() => takenPrompts(session.ledger)).toHaveLength(1);
    const turnId = takenPrompts(session.ledger)[0]?.turn_id ?? '';
    expect(await turnOf(turnId)).toMatchObject({ turn_id: turnId, turn_index: 1, status: 'active' });
    const state = await server.ask('GET', pathOf(session, '/state'));
    expect(state.body.turn).toEqual({ phase: 'active', active_turn_id: turnId });
    const detail = `Agent \`${nameOf(session)}\` works on turn \`${turnId}\`; \`/gateway/requests\` queues a prompt behind it.`;
    expect(await post('/turns', { prompt: 'me too' })).toMatchObject({ status: 409, body: { detail } });
    expect(await post('/interrupt')).toMatchObject({ status: 200, body: { turn_id: turnId } });
    expect(await turnOf(turnId, 30)).toMatchObject({ status: 'interrupted' });
    expect(takenPrompts(session.ledger)).toHaveLength(1);
  },
);

test('one that is halted is not taken for one that is gone: nothing runs beside it', async () => {
  gateway.child.kill('SIGSTOP');
  const [turn, request] = await Promise.all([
    post('/turns', { prompt: 'past it' }),
    post('/requests', { request_kind: 'submit_prompt', prompt: 'past it' }),
  ]);
  for (const { status, body } of [turn, request])
    expect([status, body.detail]).toEqual([503, expect.stringMatching(/gateway/)]);
  gateway.child.kill('SIGCONT');
  const next = await post('/turns', { prompt: 'through it' });
  expect(await turnOf(next.body.turn_id, 30)).toMatchObject({ status: 'completed', turn_index: 1 });
  expect(takenPrompts(session.ledger).map(({ prompt }) => prompt)).toEqual(['through it']);
});

test('records that cannot be read let no prompt through', async () => {
  await gateway.stop();
  writeFileSync(session.paths.queue, 'no database at all, but long enough to be read as one'.repeat(40));
  for (const rest of ['/turns', '/interrupt'])
    expect(await post(rest, rest === '/turns' ? { prompt: 'x' } : undefined)).toMatchObject({
      status: 503,
      body: { detail: expect.stringMatching(/^The records .* cannot be read now/) },
    });
  expect(takenPrompts(session.ledger)).toEqual([]);
});
