import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/foundation/open-database.js';
import { serveEach } from './support/served.js';

const served = serveEach();

/** Takes a table away under the running gateway, as a damaged or foreign database would lack it. */
async function without(table: string, during: () => Promise<void>): Promise<void> {
  const database = openDatabase(served.session.paths.queue);
  database.exec(`ALTER TABLE ${table} RENAME TO taken_away`);
  try {
    await during();
  } finally {
    database.exec(`ALTER TABLE taken_away RENAME TO ${table}`);
    database.close();
  }
}
const log = () => readFileSync(served.session.paths.log, 'utf8');

describe('a fault of the gateway', () => {
  test('is 500 with a request id and nothing from inside; the log has the rest', async () => {
    await without('turns', async () => {
      const { status, body, headers } = await served.ask('GET', '/v1/turns/any');
      const id = headers.get('x-request-id');
      expect([status, body]).toEqual([
        500,
        { detail: `Internal fault; see request ${id} in the gateway log.` },
      ]);
      await expect.poll(log).toContain(`request ${id} GET /v1/turns/any`);
      expect(log()).toContain('no such table');
    });
    expect((await served.ask('GET', '/v1/turns/any')).status).toBe(404);
    const { events } = (await served.ask('GET', '/v1/events')).body;
    const reported = events.filter(({ kind }: { kind: string }) => kind === 'fault');
    expect(reported).toMatchObject([{ data: { detail: expect.not.stringContaining('no such table') } }]);
  });

  test('while storing stores nothing, and the next submission goes through', async () => {
    await without('events', async () => {
      const body = { kind: 'submit_prompt', payload: { prompt: 'half' } };
      const answer = await served.ask('POST', '/v1/requests', body, { 'idempotency-key': 'k' });
      expect(answer.status).toBe(500);
    });
    const list = await served.ask('GET', '/v1/requests');
    expect(list.body.requests).toEqual([]);
    expect((await served.ask('GET', '/v1/status')).body.queue_depth).toBe(0);
    const { status, body } = await served.prompt('whole');
    expect([status, body.queue_depth]).toEqual([202, 1]);
    expect((await served.final(body.request_id)).state).toBe('completed');
  });

  test('does not touch /health', async () => {
    await without('gateway_requests', async () => {
      expect((await served.ask('GET', '/v1/requests')).status).toBe(500);
      expect((await served.ask('GET', '/health')).body).toEqual({ protocol_version: 'v1', status: 'ok' });
    });
  });
});
