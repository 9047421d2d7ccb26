import { describe, expect, test } from 'vitest';
import { behindServer } from '../support/behind-server.js';

const prompt = (text: string) => ({ kind: 'submit_prompt', payload: { prompt: text } });

describe('the queue of a gateway, asked through the server', () => {
  const behind = behindServer();

  test('a prompt is accepted with 200, runs, and is read back where Location says', async () => {
    const accepted = await behind.agent('POST', '/gateway/requests', prompt('hello'));
    expect(accepted.status).toBe(200);
    const { request_id } = accepted.body;
    const location = accepted.headers.get('location');
    expect(location).toBe(`/houmao/agents/${behind.name}/gateway/requests/${request_id}`);
    const done = await behind.ask('GET', `${location}?wait_seconds=30`);
    expect(done.status).toBe(200);
    expect(done.body).toMatchObject({ state: 'completed', turn: { outcome: 'completed' } });
    const turn = await behind.agent('GET', `/gateway/turns/${done.body.turn.turn_id}?wait_seconds=30`);
    expect(turn.body).toEqual((await behind.direct('GET', `/v1/turns/${done.body.turn.turn_id}`)).body);
  });

  test('the same key gets the same answer, and says that it is a replay', async () => {
    const key = { 'Idempotency-Key': 'once' };
    const first = await behind.agent('POST', '/gateway/requests', prompt('once'), key);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const again = await behind.agent('POST', '/gateway/requests', prompt('once'), key);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const other = await behind.agent('POST', '/gateway/requests', prompt('another'), key);
    expect(other.status).toBe(422);
  });

  test('an interrupt is passed on with the turn that it is aimed at', async () => {
    const interrupt = { kind: 'interrupt', payload: {} };
    const missed = await behind.agent('POST', '/gateway/requests', interrupt, {
      'X-Houmao-If-Turn': 'turn-of-nobody',
    });
    expect([missed.status, missed.headers.get('x-houmao-error-code')]).toEqual([412, 'turn_not_running']);
  });

  test('lists, filters and pages are those of the gateway', async () => {
    await behind.agent('POST', '/gateway/requests', prompt('one of many'));
    const query = '?limit=1';
    const page = await behind.agent('GET', `/gateway/requests${query}`);
    expect(page.status).toBe(200);
    expect(page.body.requests).toHaveLength(1);
    const next = await behind.agent('GET', `/gateway/requests?limit=1&state=completed`);
    expect(next.status).toBe(200);
    const broken = await behind.agent('GET', '/gateway/requests?limit=0');
    expect(broken.status).toBe(422);
    expect(broken.body.detail[0].loc).toEqual(['query', 'limit']);
    expect((await behind.agent('GET', '/gateway/requests?cursor=x')).status).toBe(422);
  });

  test('a waiting request is cancelled, and one that has ended is not', async () => {
    await behind.agent('PUT', '/gateway/control/queue', { paused: true });
    const { body } = await behind.agent('POST', '/gateway/requests', prompt('never'));
    const cancelled = await behind.agent('DELETE', `/gateway/requests/${body.request_id}`);
    expect(cancelled).toMatchObject({ status: 200, body: { state: 'cancelled' } });
    await behind.agent('PUT', '/gateway/control/queue', { paused: false });
    const { body: ran } = await behind.agent('POST', '/gateway/requests', prompt('ran'));
    await behind.agent('GET', `/gateway/requests/${ran.request_id}?wait_seconds=30`);
    expect((await behind.agent('DELETE', `/gateway/requests/${ran.request_id}`)).status).toBe(409);
  });

  test('what the gateway does not know is its 404', async () => {
    for (const path of ['/gateway/requests/gwreq-1', '/gateway/turns/turn-1']) {
      const mine = await behind.agent('GET', path);
      const its = await behind.direct('GET', path.replace('/gateway', '/v1'));
      expect(mine).toMatchObject({ status: 404, body: its.body });
    }
    expect((await behind.agent('DELETE', '/gateway/requests/gwreq-1')).status).toBe(404);
  });

  test('events are followed, also while there are none, and not beyond the last', async () => {
    const { body } = await behind.agent('GET', '/gateway/events?limit=200');
    expect(body.events.length).toBeGreaterThan(0);
    const waiting = behind.agent('GET', `/gateway/events?after=${body.next_after}&wait_seconds=30`);
    await behind.agent('POST', '/gateway/requests', prompt('something new'));
    expect((await waiting).body.events.length).toBeGreaterThan(0);
    expect((await behind.agent('GET', '/gateway/events?after=999999')).status).toBe(410);
  });

  test('an interrupt of nothing is accepted and ends as no_op', async () => {
    const idle = async () => (await behind.agent('GET', '/gateway')).body;
    await expect.poll(idle).toMatchObject({ active_execution: 'idle', queue_depth: 0 });
    const { status, body } = await behind.agent('POST', '/gateway/requests', {
      kind: 'interrupt',
      payload: {},
    });
    expect(status).toBe(200);
    const done = await behind.agent('GET', `/gateway/requests/${body.request_id}?wait_seconds=30`);
    expect(done.body.result).toMatchObject({ outcome: 'no_op' });
  });

  test('a body that breaks the contract is refused before anybody is asked', async () => {
    const before = (await behind.direct('GET', '/v1/requests?limit=200')).body.requests.length;
    const broken = await behind.agent('POST', '/gateway/requests', { kind: 'submit_prompt', payload: {} });
    expect(broken).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'payload', 'prompt'] }] } });
    const unknown = await behind.ask('POST', '/houmao/agents/nobody/gateway/requests', { kind: 'x' });
    expect(unknown.status).toBe(422);
    expect((await behind.direct('GET', '/v1/requests?limit=200')).body.requests).toHaveLength(before);
  });
});
