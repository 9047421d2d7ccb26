import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { call, waitFinal } from '../../support/http.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { eventually, expectedLines, heldAgent, takenPrompts, withDatabase } from '../recovery/evidence.js';

let session: TestSession;
let gateway: GatewayProcess;
beforeAll(async () => {
  session = await makeSession();
  gateway = await startGateway(session);
});
afterAll(async () => {
  expect(await gateway.stop()).toBe(0);
  session.remove();
});

const submit = async (prompt: string): Promise<string> =>
  (await call(gateway.url, 'POST', '/v1/requests', { kind: 'submit_prompt', payload: { prompt } })).body
    .request_id;
const prompts = (from: number) =>
  takenPrompts(session.ledger)
    .slice(from)
    .map((entry) => entry.prompt);

test('context commands that wait together become the strongest one', async () => {
  const from = prompts(0).length;
  const holder = await submit('[[slow=1500]] holder');
  const goOn = await heldAgent(session.ledger, '[[slow=1500]] holder');
  const ids: string[] = [];
  for (const text of ['/compact', '/clear', ' /new\n', '/compact', 'ordinary', '/compact'])
    ids.push(await submit(text));
  goOn();
  await waitFinal(gateway.url, holder);
  const records = [];
  for (const id of ids) records.push(await waitFinal(gateway.url, id));
  expect(records.map((record) => record.state)).toEqual([
    'coalesced',
    'coalesced',
    'completed',
    'coalesced',
    'completed',
    'completed',
  ]);
  for (const index of [0, 1, 3])
    expect(records[index]).toMatchObject({ superseded_by: ids[2], turn: null, error: null });
  // Sent verbatim, with its white space.
  expect(prompts(from)).toEqual(['[[slow=1500]] holder', ' /new\n', 'ordinary', '/compact']);
  const event = expectedLines(session.paths)
    .events.map((line) => JSON.parse(line))
    .find((line) => line.kind === 'coalesced' && line.next_request_id === ids[2]);
  expect(event).toMatchObject({
    coalesced_request_ids: [ids[0], ids[1], ids[3]],
    effective_actions: ['submit_prompt:/new'],
    effective_request_ids: [ids[2]],
    next_request_id: ids[2],
  });
});

test('a block with interrupts that waits at a start is carried out as the example says', async () => {
  expect(await gateway.stop()).toBe(0);
  const from = prompts(0).length;
  const block = ['/compact', null, '/clear', '/new', null, '/compact'];
  const ids = block.map((_, index) => `gwreq-20260313-000000Z-0000000${index}`);
  withDatabase(session.paths, (database) => {
    const insert = database.prepare(
      `INSERT INTO gateway_requests (request_id, request_kind, payload_json, state, accepted_at_utc, managed_agent_instance_epoch)
       VALUES (?, ?, ?, 'accepted', '2026-03-13T00:00:00+00:00', 1)`,
    );
    block.forEach((prompt, index) => {
      insert.run(
        ids[index],
        prompt === null ? 'interrupt' : 'submit_prompt',
        prompt === null ? '{}' : JSON.stringify({ prompt }),
      );
    });
  });
  gateway = await startGateway(session);
  const records = [];
  for (const id of ids) records.push(await waitFinal(gateway.url, id));
  expect(records.map((record) => record.state)).toEqual([
    'coalesced',
    'completed',
    'coalesced',
    'completed',
    'coalesced',
    'coalesced',
  ]);
  expect(records.map((record) => record.superseded_by)).toEqual([ids[3], null, ids[3], null, ids[1], ids[3]]);
  expect(records[1]).toMatchObject({ result: { outcome: 'no_op' } });
  expect(prompts(from)).toEqual(['/new']);
});

test('a long row of context commands waits behind a turn and becomes one', async () => {
  const holder = await submit('[[slow=120000]] holder of many');
  await eventually('the holder running', () => prompts(0).at(-1)?.includes('of many'));
  const ids: string[] = [];
  for (let round = 0; round < 20; round += 1)
    ids.push(...(await Promise.all(Array.from({ length: 50 }, () => submit('/clear')))));
  expect((await call(gateway.url, 'GET', '/v1/requests?limit=200')).body.requests).toHaveLength(200);
  const interrupt = await call(gateway.url, 'POST', '/v1/requests', { kind: 'interrupt', payload: {} });
  expect((await waitFinal(gateway.url, interrupt.body.request_id)).result.outcome).toBe('stopped');
  await waitFinal(gateway.url, holder);
  const states = [];
  for (const id of ids) states.push((await waitFinal(gateway.url, id)).state);
  expect(states.filter((state) => state === 'completed')).toHaveLength(1);
  expect(states.filter((state) => state === 'coalesced')).toHaveLength(ids.length - 1);
});
