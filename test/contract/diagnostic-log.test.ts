import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Served, serve } from './support/served.js';

const requested =
  (enabled: boolean) =>
  ({ paths }: Served['session']) =>
    writeFileSync(
      paths.desiredConfig,
      JSON.stringify({ schema_version: 1, desired_diagnostic_logging: { enabled } }),
    );

describe('with the diagnostic log switched on', () => {
  const served = serve(requested(true));
  // biome-ignore lint/suspicious/noExplicitAny: entries have fields of their own.
  const entries = (): any[] =>
    readFileSync(served.session.paths.diagnostics, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('requests, refusals and failures are in it, once, without what was said', async () => {
    const secret = 'do not write this down';
    await served.ask('GET', '/v1/status?x=1');
    await served.ask('GET', '/v1/status');
    for (let times = 0; times < 5; times += 1)
      await served.ask('POST', '/v1/requests', { kind: 'interrupt', colour: secret });
    await served.ask('GET', '/v1/turns/none');
    const { body } = await served.prompt(`[[exit=3]] ${secret}`);
    await served.final(body.request_id);
    await served.gateway.stop();
    const all = entries();
    const requests = all.filter(({ event }) => event === 'gateway.http_request_completed');
    expect(requests).toContainEqual({
      schema_version: 1,
      timestamp_utc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$/),
      level: 'info',
      event: 'gateway.http_request_completed',
      method: 'GET',
      path: '/v1/status',
      status_code: 200,
      duration_ms: expect.any(Number),
      request_id: expect.stringMatching(/^http-/),
    });
    expect(requests.map(({ status_code, path }) => [status_code, path])).toContainEqual([
      404,
      '/v1/turns/none',
    ]);
    const invalid = all.filter(({ event }) => event === 'gateway.http_validation_failed');
    expect(invalid.filter(({ path }) => path === '/v1/requests')).toEqual([
      expect.objectContaining({
        level: 'warning',
        status_code: 422,
        error_count: expect.any(Number),
        validation_errors: expect.arrayContaining([{ type: 'missing', loc: ['body', 'payload'] }]),
        dedup_key: expect.stringContaining('http-validation:POST:/v1/requests:'),
      }),
    ]);
    const summaries = all.filter(({ event }) => event === 'diagnostic.dedup_summary');
    expect(summaries.map(({ first_event, suppressed_count }) => [first_event, suppressed_count])).toEqual([
      ['gateway.http_validation_failed', 4],
      ['gateway.http_request_completed', 4],
    ]);
    expect(all).toContainEqual(
      expect.objectContaining({
        event: 'gateway.running_log_warning',
        level: 'error',
        message_code: 'failed_gateway_request',
        request_id: body.request_id,
      }),
    );
    const text = readFileSync(served.session.paths.diagnostics, 'utf8');
    expect(text).not.toContain('?x=1');
    expect(text).not.toContain(secret);
  });
});

describe('by default', () => {
  const served = serve();

  test('there is none', async () => {
    await served.ask('GET', '/v1/status');
    expect(existsSync(served.session.paths.diagnostics)).toBe(false);
  });
});
