// An interrupt that is repeated under its key stops nothing again: by then another turn may run.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { takenPrompts } from '../../e2e/recovery/evidence.js';
import { pathOf } from '../../e2e/server/turns-of.js';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import type { Answer } from '../../support/http.js';
import { agentAtServerEach } from '../support/agent-at-server.js';

const here = agentAtServerEach();
const post = (rest: string, body: unknown, headers?: Record<string, string>) =>
  here.server.ask('POST', pathOf(here.session, rest), body, headers);
const turn = async (turnId: string, seconds = 0): Promise<string> =>
  (await here.server.ask('GET', pathOf(here.session, `/turns/${turnId}?wait_seconds=${seconds}`))).body
    .status;
const interrupt = (key: string): Promise<Answer> =>
  post('/requests', { request_kind: 'interrupt' }, { 'Idempotency-Key': key });

/** A turn that goes on until it is stopped; its id. */
async function begin(count: number): Promise<string> {
  const { status, body } = await post('/turns', { prompt: '[[slow=60000]] long' });
  expect(status, body.detail).toBe(200);
  await expect.poll(() => takenPrompts(here.session.ledger)).toHaveLength(count);
  return body.turn_id;
}

describe.each([['with a gateway'], ['without a gateway']])('%s', (how) => {
  let gateway: GatewayProcess | null = null;
  beforeEach(async () => {
    gateway = how === 'with a gateway' ? await startGateway(here.session) : null;
  });
  afterEach(async () => void (await gateway?.stop()));

  test('the turn that it stopped is reported again, and a later turn goes on', async () => {
    const stopped = await begin(1);
    const first = await interrupt('once');
    expect(first).toMatchObject({ status: 200, body: { disposition: 'accepted' } });
    expect(first.headers.get('x-houmao-turn-id')).toBe(stopped);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(await turn(stopped, 30)).toBe('interrupted');
    const later = await begin(2);
    const again = await interrupt('once');
    expect(again).toMatchObject({
      status: 200,
      body: { disposition: 'accepted', request_id: first.body.request_id },
    });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('x-houmao-turn-id')).not.toBe(later);
    expect(await turn(later)).toBe('active');
    await interrupt('another');
    expect(await turn(later, 30)).toBe('interrupted');
  });

  test('where it met nothing, it meets nothing again', async () => {
    const nothing = { status: 200, body: { disposition: 'no_op' } };
    expect(await interrupt('early')).toMatchObject(nothing);
    const later = await begin(1);
    expect(await interrupt('early')).toMatchObject(nothing);
    expect(await turn(later)).toBe('active');
    await interrupt('another');
    expect(await turn(later, 30)).toBe('interrupted');
  });

  test('its key is no key of a prompt, nor the other way round', async () => {
    await interrupt('mine');
    const prompt = { request_kind: 'submit_prompt', prompt: 'hello' };
    const codeOf = ({ status, headers }: Answer) => [status, headers.get('x-houmao-error-code')];
    const refused = [422, 'key_reused'];
    expect(codeOf(await post('/requests', prompt, { 'Idempotency-Key': 'mine' }))).toEqual(refused);
    const taken = await post('/requests', prompt, { 'Idempotency-Key': 'yours' });
    expect(await turn(taken.body.headless_turn_id, 30)).toBe('completed');
    expect(codeOf(await interrupt('yours'))).toEqual(refused);
  });
});
