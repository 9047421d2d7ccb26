import { describe, expect, test } from 'vitest';
import { useTerminalAgents } from './terminal-agent.js';

const agents = useTerminalAgents();
const { ask } = agents;

const queued = async (prompt: string) =>
  (await ask('POST', '/v1/requests', { kind: 'submit_prompt', payload: { prompt } })).body.request_id;
const request = async (id: string, seconds = 20) =>
  (await ask('GET', `/v1/requests/${id}?wait_seconds=${seconds}`)).body;
const turn = async (id: string, seconds = 20) =>
  (await ask('GET', `/v1/turns/${id}?wait_seconds=${seconds}`)).body;
const direct = (prompt: string, more: object = {}) => ask('POST', '/v1/control/prompt', { prompt, ...more });

describe('a queued prompt', () => {
  test('is done when the agent has it, with the row that says so; its turn goes on to the answer', async () => {
    await agents.launch();
    await agents.ready();
    const id = await queued('[[slow=1500]] say hello\nin two lines');
    const record = await request(id);
    expect(record).toMatchObject({
      state: 'completed',
      turn: {
        state: 'running',
        delivery: { state: 'confirmed', evidence: expect.stringMatching(/at byte \d+ of /) },
      },
    });
    expect((await agents.status()).active_execution).toBe('running');
    const ended = await turn(record.turn.turn_id);
    console.log(JSON.stringify(ended, null, 1));
    expect(ended).toMatchObject({ state: 'ended', outcome: 'completed', error: null });
    expect(agents.taken().map((row) => row.prompt)).toEqual(['[[slow=1500]] say hello\nin two lines']);
  });
});

test('ten at once are delivered in their order, none merged', async () => {
  await agents.launch();
  await agents.ready();
  const ids: string[] = [];
  for (let n = 0; n < 10; n += 1) ids.push(await queued(`prompt ${n}`));
  const records = [];
  for (const id of ids) records.push(await request(id, 60));
  expect(records.map(({ state }) => state)).toEqual(ids.map(() => 'completed'));
  expect(agents.taken().map((row) => row.prompt)).toEqual(ids.map((_, n) => `prompt ${n}`));
});

test('a direct prompt is sent when the agent took it', async () => {
  await agents.launch();
  await agents.ready();
  const sent = await direct('hello there');
  console.log(JSON.stringify(sent.body), sent.headers);
  expect(sent).toMatchObject({ status: 200, body: { sent: true } });
  expect(await direct('and again')).toMatchObject({
    status: 409,
    body: { detail: { error_code: 'not_ready' } },
  });
});
