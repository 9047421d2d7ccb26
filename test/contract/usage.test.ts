// The usage of an agent, by day: at its gateway, over restarts and deletions.
import { createGatewayClient } from '@houmao/sdk';
import { describe, expect, test } from 'vitest';
import { serve, serveEach } from './support/served.js';

const shared = serve();
const today = () => new Date().toISOString().slice(0, 10);

describe('GET /v1/usage', () => {
  const served = serveEach();
  const report = async (query = '') => (await served.ask('GET', `/v1/usage${query}`)).body;

  test('adds up what the turns reported, by the day of their end, also after a restart', async () => {
    const days = [today()];
    expect(await report()).toMatchObject({ schema_version: 1, days: [] });
    const first = await served.final((await served.prompt('hello')).body.request_id);
    const second = await served.final((await served.prompt('[[exit=3]] fails')).body.request_id);
    await served.idle();
    days.push(today());
    const amounts = [first, second].map(({ turn }) => turn.usage?.amounts ?? null);
    const known = amounts.filter((one) => one?.input_tokens !== undefined);
    const sum = (name: string) => known.reduce((all, one) => all + one[name], 0);
    const {
      days: [day, ...others],
    } = await report();
    expect(others).toEqual([]);
    expect(days).toContain(day.date);
    expect(day).toMatchObject({
      turns: { completed: 1, failed: 1, interrupted: 0, replaced: 0 },
      turns_without_usage: amounts.length - known.length,
      input_tokens: sum('input_tokens'),
      output_tokens: sum('output_tokens'),
      cost_usd: sum('total_cost_usd'),
    });
    expect([known.length > 0, day.input_tokens > 0]).toEqual([true, true]);
    expect(day.cost_usd).toBeGreaterThan(0);
    await served.restart();
    expect((await report()).days).toEqual([day]);
    const client = createGatewayClient({ baseUrl: served.gateway.url });
    expect((await client.usage({ from: day.date, to: day.date })).days).toEqual([day]);
    expect((await client.usage({ to: '2001-01-01' })).days).toEqual([]);
  });
});

test.each([
  'from=2026-02-29',
  'to=today',
  'from=2026-03-13&to=2026-03-12',
  'from=2024-01-01&to=2026-01-01',
  'day=1',
])('refuses %s, and says which field breaks which rule', async (query) => {
  const { status, body, headers } = await shared.ask('GET', `/v1/usage?${query}`);
  expect([status, headers.get('x-houmao-error-code')]).toEqual([422, 'validation_failed']);
  expect(body.detail).toEqual([
    expect.objectContaining({ loc: ['query', query.slice(0, query.indexOf('='))], msg: expect.any(String) }),
  ]);
});
