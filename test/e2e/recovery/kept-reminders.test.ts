import { afterEach, expect, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { call } from '../../support/http.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { agentsOf, eventually, heldAgent, takenPrompts, withDatabase } from './evidence.js';

// A reminder that is kept fires once, wherever its gateway dies.

let session: TestSession;
afterEach(() => {
  expect(agentsOf(session)).toEqual([]);
  session.remove();
});

const create = async (gateway: GatewayProcess, given: object, keep = true, headers = {}) => {
  const body = { reminders: [{ mode: 'one_off', title: 'T', ranking: 0, ...given }] };
  const answer = await call(gateway.url, 'POST', `/v1/reminders?keep=${keep}`, body, headers);
  expect(answer.status).toBe(200);
  return answer.body.reminders[0].reminder_id as string;
};
const list = async (gateway: GatewayProcess) =>
  (await call(gateway.url, 'GET', '/v1/reminders')).body.reminders;
const ended = (id: string): string[] =>
  withDatabase(session.paths, (database) =>
    database
      .prepare<[string], string>(
        "SELECT kind FROM events WHERE subject_id = ? AND kind IN ('reminder_started', 'reminder_completed', 'reminder_failed') ORDER BY seq",
      )
      .pluck()
      .all(id),
  );
const prompts = () => takenPrompts(session.ledger).map(({ prompt }) => prompt);
const soon = { start_after_seconds: 0.05 };
const once = ['reminder_started', 'reminder_completed'];

test('killed as soon as it answered, and again before its time: it is there, and the other one is not', async () => {
  session = await makeSession();
  let gateway = await startGateway(session);
  const key = { 'idempotency-key': 'k' };
  const far = { start_after_seconds: 3600, prompt: 'kept' };
  const kept = await create(gateway, far, true, key);
  await create(gateway, { ...far, prompt: 'lost' }, false);
  await gateway.kill();
  gateway = await startGateway(session);
  const [found, ...others] = await list(gateway);
  expect(found).toMatchObject({ reminder_id: kept, prompt: 'kept', selection_state: 'effective' });
  expect(others).toEqual([]);
  // The answer was lost with the gateway: asked again with its key, nothing is added.
  expect(await create(gateway, far, true, key)).toBe(kept);
  expect(await gateway.stop()).toBe(0);
  gateway = await startGateway(session);
  expect(await list(gateway)).toEqual([found]);
  await gateway.stop();
});

test('killed while it is due and waits: it fires once after that', async () => {
  session = await makeSession();
  let gateway = await startGateway(session);
  await call(gateway.url, 'PUT', '/v1/control/queue', { paused: true });
  const queued = await call(gateway.url, 'POST', '/v1/requests', {
    kind: 'submit_prompt',
    payload: { prompt: 'holds it back' },
  });
  const id = await create(gateway, { ...soon, prompt: 'due' });
  await expect.poll(async () => (await list(gateway))[0].delivery_state).toBe('overdue');
  await gateway.kill();
  gateway = await startGateway(session);
  expect(await list(gateway)).toMatchObject([{ reminder_id: id, delivery_state: 'overdue' }]);
  await call(gateway.url, 'DELETE', `/v1/requests/${queued.body.request_id}`);
  await eventually('its end', () => ended(id).length === 2);
  expect(await list(gateway)).toEqual([]);
  expect([prompts(), ended(id)]).toEqual([['due'], once]);
  await gateway.stop();
});

test('killed while its turn runs: it failed, is not repeated, and one that repeats is due again', async () => {
  session = await makeSession();
  let gateway = await startGateway(session);
  const id = await create(gateway, { ...soon, prompt: '[[slow=120000]] once' });
  const again = { mode: 'repeat', interval_seconds: 3600, ranking: 1 };
  await heldAgent(session.ledger, 'once');
  await gateway.kill();
  gateway = await startGateway(session);
  expect(ended(id)).toEqual(['reminder_started', 'reminder_failed']);
  expect(await list(gateway)).toEqual([]);
  const repeating = await create(gateway, { ...soon, ...again, prompt: '[[slow=120000]] again' });
  await heldAgent(session.ledger, 'again');
  await gateway.kill();
  gateway = await startGateway(session);
  expect(await list(gateway)).toMatchObject([{ reminder_id: repeating, delivery_state: 'scheduled' }]);
  expect(ended(repeating)).toEqual(['reminder_started', 'reminder_failed']);
  expect(prompts()).toEqual(['[[slow=120000]] once', '[[slow=120000]] again']);
  await gateway.stop();
});

test('killed as soon as its turn has ended: nothing is left to fire', async () => {
  session = await makeSession();
  let gateway = await startGateway(session);
  const id = await create(gateway, { ...soon, prompt: 'quick' });
  await eventually('its end', () => ended(id).length === 2);
  await gateway.kill();
  gateway = await startGateway(session);
  expect(await list(gateway)).toEqual([]);
  // A reminder that was asked for later fires, so one that was due before it would have, too.
  const later = await create(gateway, { ...soon, prompt: 'later', ranking: 5 });
  await eventually('its end', () => ended(later).length === 2);
  expect([prompts(), ended(id), ended(later)]).toEqual([['quick', 'later'], once, once]);
  await gateway.stop();
});
