import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { startGateway } from '../../support/gateway-process.js';
import { call, promptAndWait, waitFinal } from '../../support/http.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { eventually, expectedLines, linesOf, takenPrompts, withDatabase } from './evidence.js';

let session: TestSession;
afterEach(() => session.remove());

/** Ready to be asked to stop: the handler of the signal stands when an answer has come. */
async function started() {
  const gateway = await startGateway(session);
  await call(gateway.url, 'GET', '/health');
  return gateway;
}

/** Without tmux the instance is the generation of the launch (docs/decisions.md#with-and-without-tmux). */
function replaceInstance(): void {
  const manifest = JSON.parse(readFileSync(session.paths.manifest, 'utf8'));
  manifest.registry_generation_id = 'another-generation';
  manifest.runtime.registry_generation_id = 'another-generation';
  writeFileSync(session.paths.manifest, JSON.stringify(manifest));
}
const submit = (url: string, prompt: string) =>
  call(url, 'POST', '/v1/requests', { kind: 'submit_prompt', payload: { prompt } });

/** Lets the worker look at its queue a few times, and waits for what it then writes: all share one line to the disk. */
async function wakeWorker(url: string): Promise<void> {
  for (const paused of [true, false, true, false])
    await call(url, 'PUT', '/v1/control/queue', { schema_version: 1, paused });
}

async function leaveWaiting(end: 'stop' | 'kill', prompts: readonly string[]): Promise<string[]> {
  const gateway = await started();
  await submit(gateway.url, '[[slow=120000]] holder');
  const ids: string[] = [];
  for (const prompt of prompts) ids.push((await submit(gateway.url, prompt)).body.request_id);
  await eventually('the holder', () => takenPrompts(session.ledger).length === 1);
  await gateway[end]();
  return ids;
}

test.each(['stop', 'kill'] as const)(
  'after a %s and a changed instance the rows are kept and blocked until adopted',
  async (end) => {
    session = await makeSession();
    const [id] = await leaveWaiting(end, ['for the old one']);
    replaceInstance();
    const gateway = await started();
    const status = (await call(gateway.url, 'GET', '/v1/status')).body;
    expect(status).toMatchObject({
      managed_agent_recovery: 'reconciliation_required',
      request_admission: 'blocked_reconciliation',
      managed_agent_instance_epoch: 2,
      managed_agent_instance_id: 'another-generation',
      queue_depth: 1,
    });
    expect((await submit(gateway.url, 'new')).status).toBe(409);
    expect((await call(gateway.url, 'POST', '/v1/requests', { kind: 'interrupt', payload: {} })).status).toBe(
      409,
    );
    expect(
      (await call(gateway.url, 'POST', '/v1/control/prompt', { prompt: 'x' })).body.detail.error_code,
    ).toBe('blocked_reconciliation');
    await wakeWorker(gateway.url);
    expect((await call(gateway.url, 'GET', `/v1/requests/${id}`)).body).toMatchObject({
      state: 'accepted',
      waiting_reason: { code: 'reconciliation' },
    });
    expect(takenPrompts(session.ledger)).toHaveLength(1);
    const settled = (
      await call(gateway.url, 'POST', '/v1/control/reconcile', { schema_version: 1, action: 'adopt' })
    ).body;
    expect(settled).toMatchObject({ adopted: 1, discarded: 0, managed_agent_instance_epoch: 2 });
    expect(await waitFinal(gateway.url, id ?? '')).toMatchObject({
      state: 'completed',
      managed_agent_instance_epoch: 2,
    });
    expect(await gateway.stop()).toBe(0);
    // In the order in which it happened: nothing of it ran before that.
    const happened = linesOf(session.paths.log).map((line) => line.slice(line.indexOf(' ') + 1));
    const settledAt = happened.findIndex((line) => line.startsWith('reconciled action=adopt'));
    const startedAt = happened.findIndex((line) =>
      line.startsWith(`executing gateway request request_id=${id} `),
    );
    expect([settledAt > 0, startedAt > settledAt]).toEqual([true, true]);
  },
);

test('an unchanged block survives further restarts; discarding opens admission', async () => {
  session = await makeSession();
  const ids = await leaveWaiting('kill', ['a', '/compact', '/new']);
  replaceInstance();
  await (await started()).kill();
  const gateway = await started();
  expect((await call(gateway.url, 'GET', '/v1/status')).body).toMatchObject({
    request_admission: 'blocked_reconciliation',
    queue_depth: 3,
  });
  for (const id of ids)
    expect((await call(gateway.url, 'GET', `/v1/requests/${id}`)).body.state).toBe('accepted');
  const settled = (
    await call(gateway.url, 'POST', '/v1/control/reconcile', { schema_version: 1, action: 'discard' })
  ).body;
  expect(settled).toMatchObject({ adopted: 0, discarded: 3 });
  for (const id of ids)
    expect((await call(gateway.url, 'GET', `/v1/requests/${id}`)).body).toMatchObject({
      state: 'cancelled',
      error: { code: 'discarded' },
    });
  expect(await promptAndWait(gateway.url, 'a new beginning')).toMatchObject({ state: 'completed' });
  expect(
    (await call(gateway.url, 'POST', '/v1/control/reconcile', { schema_version: 1, action: 'adopt' })).body,
  ).toMatchObject({ adopted: 0, discarded: 0 });
  expect(await gateway.stop()).toBe(0);
});

test('control intents stay as they are while admission is closed', async () => {
  session = await makeSession();
  const gateway = await started();
  expect(await gateway.stop()).toBe(0);
  withDatabase(session.paths, (database) => {
    const insert = database.prepare(
      `INSERT INTO gateway_requests (request_id, request_kind, payload_json, state, accepted_at_utc, managed_agent_instance_epoch)
       VALUES (?, ?, ?, 'accepted', '2026-03-13T00:00:00+00:00', 1)`,
    );
    insert.run('gwreq-20260313-000000Z-00000001', 'submit_prompt', '{"prompt":"/compact"}');
    insert.run('gwreq-20260313-000000Z-00000002', 'interrupt', '{}');
    insert.run('gwreq-20260313-000000Z-00000003', 'submit_prompt', '{"prompt":"/new"}');
  });
  replaceInstance();
  const blocked = await started();
  await wakeWorker(blocked.url);
  const states = (await call(blocked.url, 'GET', '/v1/requests')).body.requests.map(
    (record: { state: string }) => record.state,
  );
  expect(states).toEqual(['accepted', 'accepted', 'accepted']);
  expect(await blocked.stop()).toBe(0);
});

test('an instance that changes while the gateway runs blocks at once', async () => {
  session = await makeSession();
  const gateway = await started();
  expect(await promptAndWait(gateway.url, 'before')).toMatchObject({ state: 'completed' });
  replaceInstance();
  await expect
    .poll(async () => (await call(gateway.url, 'GET', '/v1/status')).body.request_admission)
    .toBe('blocked_reconciliation');
  expect((await submit(gateway.url, 'after')).status).toBe(409);
  expect(expectedLines(session.paths).events.map((line) => JSON.parse(line).kind)).toContain(
    'instance_changed',
  );
  await eventually('the record of the new instance', () =>
    readFileSync(session.paths.currentInstance, 'utf8').includes('"managed_agent_instance_epoch": 2'),
  );
  expect(await gateway.stop()).toBe(0);
});

test('a clean shutdown keeps the epoch', async () => {
  session = await makeSession();
  let gateway = await started();
  expect(await gateway.stop()).toBe(0);
  replaceInstance();
  gateway = await started();
  await call(gateway.url, 'POST', '/v1/control/reconcile', { schema_version: 1, action: 'adopt' });
  expect(await gateway.stop()).toBe(0);
  expect(existsSync(session.paths.currentInstance)).toBe(false);
  gateway = await started();
  expect((await call(gateway.url, 'GET', '/v1/status')).body).toMatchObject({
    managed_agent_instance_epoch: 2,
    request_admission: 'open',
  });
  expect(await promptAndWait(gateway.url, 'works')).toMatchObject({
    state: 'completed',
    managed_agent_instance_epoch: 2,
  });
  expect(await gateway.stop()).toBe(0);
});
