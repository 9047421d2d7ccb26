import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { catalogue } from '../../src/events/catalogue.js';
import { linesOf } from '../e2e/recovery/evidence.js';
import { startGateway } from '../support/gateway-process.js';
import type { Part } from './support/bundle.js';
import { type Served, serveEach } from './support/served.js';

const served = serveEach();

/** Every event of the gateway, page by page. */
async function allEvents(after = 0): Promise<Part[]> {
  const { events, next_after } = (await served.ask('GET', `/v1/events?limit=200&after=${after}`)).body;
  return events.length === 0 ? [] : [...events, ...(await allEvents(next_after))];
}

/** A reminder that comes at once, or never while the test lasts. */
const reminder = (more: object) => ({
  title: 'Look',
  mode: 'one_off',
  prompt: 'look',
  ranking: 0,
  paused: false,
  start_after_seconds: 3600,
  ...more,
});

/** A session in which nearly everything happens that a gateway tells of. @returns the kinds that surely came of it. */
async function fullLife({ ask, prompt, final, ended, idle, interrupt }: Served): Promise<string[]> {
  await final((await prompt('well')).body.request_id);
  await final((await prompt('badly [[exit=3]]')).body.request_id);
  await ask('PUT', '/v1/control/queue', { paused: true });
  const waits = (await prompt('never')).body.request_id;
  await ask('DELETE', `/v1/requests/${waits}`);
  await ask('PUT', '/v1/control/queue', { paused: false });
  const direct = (text: string) => ask('POST', '/v1/control/prompt', { schema_version: 1, prompt: text });
  await ended((await direct('now')).headers.get('x-houmao-turn-id')!);
  await idle();
  await ended((await direct('now [[exit=3]]')).headers.get('x-houmao-turn-id')!);
  await idle();
  const made = (await ask('POST', '/v1/reminders', { reminders: [reminder({}), reminder({ ranking: 5 })] }))
    .body;
  const [first, second] = made.reminders.map(({ reminder_id }: Part) => reminder_id);
  await ask('PUT', `/v1/reminders/${first}`, reminder({ start_after_seconds: 0.01 }));
  await expect.poll(async () => (await ask('GET', `/v1/reminders/${first}`)).status).toBe(404);
  await idle();
  await ask(
    'PUT',
    `/v1/reminders/${second}`,
    reminder({ start_after_seconds: 0.01, prompt: 'no [[exit=3]]' }),
  );
  await expect.poll(async () => (await ask('GET', `/v1/reminders/${second}`)).status).toBe(404);
  await ask('POST', '/v1/reminders', { reminders: [reminder({}), reminder({ ranking: 7 })] });
  const left = (await ask('GET', '/v1/reminders')).body.reminders.map(({ reminder_id }: Part) => reminder_id);
  await ask('DELETE', `/v1/reminders/${left[1]}`);
  await interrupt();
  await served.restart();
  const { request_id } = (await served.prompt('killed [[slow=60000]]')).body;
  await expect
    .poll(async () => (await ask('GET', `/v1/requests/${request_id}`)).body.turn?.delivery.state)
    .toBe('confirmed');
  await served.gateway.kill();
  served.gateway = await startGateway(served.session);
  await final(request_id);
  return [
    ...['accepted', 'request_started', 'completed', 'failed', 'cancelled', 'queue_paused', 'queue_resumed'],
    ...['turn_claimed', 'turn_handed_over', 'turn_confirmed', 'turn_ended', 'instance_observed'],
    ...['control_prompt_submitted', 'control_prompt_completed', 'control_prompt_failed'],
    ...['gateway_started', 'gateway_stopping', 'recovered', 'reminder_registered', 'reminder_updated'],
    ...['reminder_deleted', 'reminder_started', 'reminder_completed', 'reminder_failed'],
    'reminder_lost_on_restart',
  ];
}

test('events.jsonl says line by line what GET /v1/events says, of every kind; each line of gateway.log has its time and both ids', {
  timeout: 120_000,
}, async () => {
  const kinds = await fullLife(served);
  const events = await allEvents();
  const reported = new Set(events.map(({ kind }) => kind));
  expect(kinds.filter((kind) => !reported.has(kind))).toEqual([]);
  expect([...reported].filter((kind) => !Object.hasOwn(catalogue, kind))).toEqual([]);
  const lines = () => linesOf(served.session.paths.events).map((line) => JSON.parse(line));
  await expect.poll(() => lines().length).toBeGreaterThanOrEqual(events.length);
  expect(lines().slice(0, events.length)).toEqual(
    events.map(({ seq, at_utc, kind, data }) => ({ ...data, seq, at_utc, kind })),
  );

  const requestOf = new Map(
    events
      .filter(({ data }) => data.turn_id && data.request_id)
      .map(({ data }) => [data.turn_id, data.request_id]),
  );
  const log = readFileSync(served.session.paths.log, 'utf8').split('\n').slice(0, -1);
  expect(log.filter((line) => !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00 \S/.test(line))).toEqual([]);
  const ofTurns = log.filter((line) => [...requestOf.keys()].some((turnId) => line.includes(turnId)));
  expect(ofTurns.length).toBeGreaterThan(8);
  const without = ofTurns.filter(
    (line) => !line.includes(requestOf.get(/turn_id=(\S+)/.exec(line)?.[1] ?? '') ?? 'no id'),
  );
  expect(without).toEqual([]);
});
