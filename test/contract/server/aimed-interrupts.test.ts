// An interrupt that is aimed at a turn stops that turn or none, whichever process runs it.
import { createHoumaoClient } from '@houmao/sdk/managed-agent';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { takenPrompts } from '../../e2e/recovery/evidence.js';
import { pathOf } from '../../e2e/server/turns-of.js';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { agentAtServerEach } from '../support/agent-at-server.js';

const here = agentAtServerEach();
const post = (rest: string, body: unknown, headers?: Record<string, string>) =>
  here.server.ask('POST', pathOf(here.session, rest), body, headers);
const status = async (turnId: string, seconds = 0): Promise<string> =>
  (await here.server.ask('GET', pathOf(here.session, `/turns/${turnId}?wait_seconds=${seconds}`))).body
    .status;
const at = (turnId: string) => ({ 'X-Houmao-If-Turn': turnId });
const interrupt = (turnId: string) => post('/requests', { request_kind: 'interrupt' }, at(turnId));
const missed = (detail: string) => ({ status: 412, body: { detail } });
const codeOf = ({ headers }: { headers: Headers }) => headers.get('x-houmao-error-code');

async function begin(count: number): Promise<string> {
  const { body } = await post('/turns', { prompt: '[[slow=60000]] long' });
  await expect.poll(() => takenPrompts(here.session.ledger)).toHaveLength(count);
  return body.turn_id;
}

describe.each([['with a gateway'], ['without a gateway']])('%s', (how) => {
  let gateway: GatewayProcess | null = null;
  beforeEach(async () => {
    gateway = how === 'with a gateway' ? await startGateway(here.session) : null;
  });
  afterEach(async () => void (await gateway?.stop()));

  test('it leaves every other turn alone, and stops its own', async () => {
    const none = await interrupt('turn-of-nobody');
    expect(none).toMatchObject(
      missed('Turn turn-of-nobody does not run; none runs now. Nothing was interrupted.'),
    );
    expect(codeOf(none)).toBe('turn_not_running');
    const running = await begin(1);
    const other = `Turn turn-of-nobody does not run; ${running} runs now. Nothing was interrupted.`;
    expect(await interrupt('turn-of-nobody')).toMatchObject(missed(other));
    expect(await post('/interrupt', undefined, at('turn-of-nobody'))).toMatchObject(missed(other));
    expect(await status(running)).toBe('active');
    const stopped = await interrupt(running);
    expect(stopped).toMatchObject({ status: 200, body: { disposition: 'accepted' } });
    expect(stopped.headers.get('x-houmao-turn-id')).toBe(running);
    expect(await status(running, 30)).toBe('interrupted');
    const later = await begin(2);
    expect((await interrupt(running)).status).toBe(412);
    expect(await status(later)).toBe('active');
    expect((await post('/interrupt', undefined, at(later))).status).toBe(200);
    expect(await status(later, 30)).toBe('interrupted');
  });

  test('a prompt is aimed at no turn', async () => {
    const prompt = { request_kind: 'submit_prompt', prompt: 'hello' };
    const refused = await post('/requests', prompt, at('turn-1'));
    expect([refused.status, codeOf(refused)]).toEqual([422, 'request_refused']);
    expect(takenPrompts(here.session.ledger)).toEqual([]);
  });

  test('a handle of the SDK stops its own turn alone', async () => {
    const agent = createHoumaoClient({ baseUrl: here.server.url }).agent(
      decodeURIComponent(pathOf(here.session, '').split('/').at(-1)!),
    );
    const first = await agent.submit('[[slow=60000]] first');
    await first.interrupt();
    expect(await status(first.turnId, 30)).toBe('interrupted');
    await first.interrupt();
    const second = await agent.submit('[[slow=60000]] second');
    await expect.poll(() => status(second.turnId)).toBe('active');
    await first.interrupt();
    expect(await status(second.turnId)).toBe('active');
    await second.interrupt();
    expect(await status(second.turnId, 30)).toBe('interrupted');
  });
});
