// `GET /metrics` of a gateway: its form, and that the figures are those of what happened.
import { renameSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { version } from '../../src/foundation/version.js';
import { type Exposition, readExposition } from '../support/exposition.js';
import { serve, serveEach } from './support/served.js';

const shared = serve();

async function scraped(url: string): Promise<Exposition> {
  const answer = await fetch(`${url}/metrics`);
  expect(answer.status).toBe(200);
  return readExposition(await answer.text());
}

describe('the figures', () => {
  test('are Prometheus’ text, each with its help and type, from the first scrape on', async () => {
    const answer = await fetch(`${shared.gateway.url}/metrics`);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const { types, value } = readExposition(await answer.text());
    for (const [name, type] of types)
      if (name.startsWith('houmao_'))
        expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
    expect(value('houmao_build_info', { program: 'houmao-gateway', version })).toBe(1);
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
    expect(value('process_cpu_seconds_total')).toBeGreaterThan(0);
  });

  test('are behind the walls of every other call', async () => {
    const { status } = await shared.ask('GET', '/metrics?all=1');
    expect(status).toBe(422);
    expect((await shared.ask('POST', '/metrics')).status).toBe(405);
    const foreign = await shared.ask('GET', '/metrics', undefined, { origin: 'http://elsewhere.example' });
    expect(foreign.status).toBe(403);
  });
});

describe('what happened', () => {
  const served = serveEach();
  const figures = () => scraped(served.gateway.url);

  test('is counted: requests by state, turns by outcome, delivery, time in the agent, HTTP calls', async () => {
    const done = (await served.prompt('hello')).body.request_id;
    expect(await served.final(done)).toMatchObject({ state: 'completed' });
    const direct = await served.ask('POST', '/v1/control/prompt', { prompt: '[[fail=500]] no' });
    await served.ended(direct.headers.get('x-houmao-turn-id') ?? '');
    const running = (await served.prompt('[[slow=60000]] long')).body.request_id;
    await expect
      .poll(async () => (await served.ask('GET', `/v1/requests/${running}`)).body.turn?.delivery.state)
      .toBe('confirmed');
    const waiting = (await served.prompt('waits')).body.request_id;
    expect((await figures()).value('houmao_gateway_queue_length')).toBe(2);
    expect((await figures()).value('houmao_gateway_turn_running')).toBe(1);
    expect((await served.ask('DELETE', `/v1/requests/${waiting}`)).status).toBe(200);
    await served.final((await served.interrupt()).body.request_id);
    await served.final(running);
    await served.idle();

    const { value, figures: all } = await figures();
    const requests = (state: string, kind = 'submit_prompt') =>
      value('houmao_gateway_requests_total', { kind, state });
    expect([requests('accepted'), requests('started')]).toEqual([3, 2]);
    expect([requests('completed'), requests('failed'), requests('cancelled')]).toEqual([1, 1, 1]);
    expect([requests('accepted', 'interrupt'), requests('completed', 'interrupt')]).toEqual([1, 1]);
    const turns = (origin: string, outcome: string) =>
      value('houmao_gateway_turns_total', { origin, outcome });
    expect([turns('queue', 'completed'), turns('queue', 'interrupted'), turns('direct', 'failed')]).toEqual([
      ...[1, 1, 1],
    ]);
    for (const histogram of ['houmao_gateway_delivery_seconds', 'houmao_gateway_turn_seconds']) {
      expect(value(`${histogram}_count`, { origin: 'queue' })).toBe(2);
      expect(value(`${histogram}_bucket`, { origin: 'queue', le: '+Inf' })).toBe(2);
      expect(value(`${histogram}_sum`, { origin: 'queue' })).toBeGreaterThan(0);
    }
    expect(value('houmao_gateway_http_requests_total', { operation: 'submitRequest', status: '2xx' })).toBe(
      4,
    );
    expect(value('houmao_gateway_queue_length')).toBe(0);
    expect(value('houmao_gateway_accepts_requests')).toBe(1);
    // No label is an id: the number of figures does not grow with the work.
    const labels = JSON.stringify(all.map((figure) => figure.labels));
    expect(labels).not.toMatch(/gwreq-|turn-[0-9a-f]|http-[0-9a-f]/);
  });

  test('is counted from 0 after a restart, also of a request that was accepted before it', async () => {
    await served.ask('PUT', '/v1/control/queue', { paused: true });
    const id = (await served.prompt('before')).body.request_id;
    expect((await figures()).value('houmao_gateway_queue_paused')).toBe(1);
    await served.restart();
    const after = await figures();
    expect(after.figures.filter(({ name }) => name === 'houmao_gateway_requests_total')).toEqual([]);
    expect(after.value('houmao_gateway_queue_length')).toBe(1);
    await served.ask('PUT', '/v1/control/queue', { paused: false });
    await served.final(id);
    await served.idle();
    const { value } = await figures();
    expect(value('houmao_gateway_requests_total', { kind: 'submit_prompt', state: 'completed' })).toBe(1);
    expect(value('houmao_gateway_delivery_seconds_count', { origin: 'queue' })).toBe(1);
  });

  test('a fault of the storage is counted once, and shown while it lasts', async () => {
    const { queue } = served.session.paths;
    renameSync(queue, `${queue}.away`);
    await expect
      .poll(async () => (await figures()).value('houmao_gateway_storage_faults_total', { code: 'missing' }))
      .toBe(1);
    // The gateway writes back what the file held.
    await expect.poll(async () => (await figures()).value('houmao_gateway_storage_fault')).toBe(0);
    expect((await figures()).value('houmao_gateway_storage_faults_total', { code: 'missing' })).toBe(1);
  });
});
