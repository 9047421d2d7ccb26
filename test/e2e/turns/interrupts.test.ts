import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { call, promptAndWait, waitFinal } from '../../support/http.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import {
  agentsOf,
  eventually,
  expectedLines,
  type LedgerEntry,
  linesOf,
  takenPrompts,
} from '../recovery/evidence.js';

let session: TestSession;
let gateway: GatewayProcess;
beforeAll(async () => {
  session = await makeSession();
  gateway = await startGateway(session);
});
afterEach(() => expect(agentsOf(session)).toEqual([]));
afterAll(async () => {
  expect(await gateway.stop()).toBe(0);
  session.remove();
});

async function submit(body: unknown): Promise<string> {
  const answer = await call(gateway.url, 'POST', '/v1/requests', body);
  expect(answer.status).toBe(202);
  return answer.body.request_id;
}
const prompt = (text: string) => submit({ kind: 'submit_prompt', payload: { prompt: text } });
const interrupt = () => submit({ kind: 'interrupt', payload: {} });
const final = (requestId: string) => waitFinal(gateway.url, requestId);
const direct = (body: unknown) => call(gateway.url, 'POST', '/v1/control/prompt', body);
const taken = (text: string) =>
  eventually(`the agent taking ${text}`, () =>
    takenPrompts(session.ledger).find((entry) => entry.prompt === text),
  );

test('an interrupt ends the running turn by SIGINT, and the next prompt runs', async () => {
  const running = await prompt('[[slow=60000]] long one');
  await taken('[[slow=60000]] long one');
  const stopped = await final(await interrupt());
  expect(stopped).toMatchObject({ state: 'completed', result: { outcome: 'stopped', signal: 'SIGINT' } });
  expect(await final(running)).toMatchObject({
    state: 'failed',
    error: { code: 'interrupted' },
    turn: { outcome: 'interrupted', turn_id: stopped.result.turn_id },
  });
  expect(await promptAndWait(gateway.url, 'after the interrupt')).toMatchObject({ state: 'completed' });
});

test('an interrupt goes past the prompts that wait', async () => {
  const running = await prompt('[[slow=60000]] ahead');
  await taken('[[slow=60000]] ahead');
  const waiting = [await prompt('second'), await prompt('third')];
  expect(await final(await interrupt())).toMatchObject({ result: { outcome: 'stopped' } });
  expect(await final(running)).toMatchObject({ error: { code: 'interrupted' } });
  for (const id of waiting) expect(await final(id)).toMatchObject({ state: 'completed' });
});

test('an interrupt of an idle agent is a no_op and hits nothing later', async () => {
  const idle = await interrupt();
  const next = await prompt('[[slow=300]] right behind the interrupt');
  expect(await final(idle)).toMatchObject({
    state: 'completed',
    result: { outcome: 'no_op', turn_id: null, signal: null },
  });
  expect(await final(next)).toMatchObject({ state: 'completed', turn: { outcome: 'completed' } });
});

/** Asks for an interrupt, and waits until the gateway is at it: a later one is no longer put together with it. */
async function begunInterrupt(): Promise<string> {
  const id = await interrupt();
  await expect
    .poll(async () => (await call(gateway.url, 'GET', `/v1/requests/${id}`)).body.state)
    .toBe('running');
  return id;
}

test('interrupts of one turn reach no later one', async () => {
  for (let round = 0; round < 3; round += 1) {
    const text = `[[slow=60000]] victim ${round}`;
    const victim = await prompt(text);
    const bystander = await prompt(`[[slow=100]] bystander ${round}`);
    const { pid, turn_id } = await taken(text);
    // An agent that stands still ends only when it goes on: all three are for the victim.
    process.kill(pid, 'SIGSTOP');
    const interrupts = [await begunInterrupt(), await begunInterrupt(), await begunInterrupt()];
    process.kill(pid, 'SIGCONT');
    expect(await final(victim)).toMatchObject({ error: { code: 'interrupted' } });
    for (const id of interrupts)
      expect(await final(id)).toMatchObject({ state: 'completed', result: { turn_id } });
    expect(await final(bystander)).toMatchObject({ state: 'completed' });
  }
});

test('interrupts that come with the end of a turn reach a later one only where they name it', async () => {
  for (let round = 0; round < 3; round += 1) {
    const text = `[[slow=60000]] early victim ${round}`;
    const victim = await prompt(text);
    const bystander = await prompt(`[[slow=100]] early bystander ${round}`);
    await taken(text);
    const interrupts = await Promise.all([interrupt(), interrupt(), interrupt()]);
    expect(await final(victim)).toMatchObject({ error: { code: 'interrupted' } });
    const ends = await Promise.all(interrupts.map(final));
    expect(ends.filter(({ state }) => state === 'failed')).toEqual([]);
    const { state, turn } = await final(bystander);
    const meant = ends.some(({ result }) => result?.turn_id === turn.turn_id);
    expect(state).toBe(meant ? 'failed' : 'completed');
  }
});

test('an agent that ignores signals is killed after ten seconds', async () => {
  const text = '[[ignore-signals]] [[slow=600000]] deaf';
  const running = await prompt(text);
  await taken(text);
  const started = performance.now();
  const first = await begunInterrupt();
  const second = await interrupt();
  expect(await final(first)).toMatchObject({ result: { outcome: 'stopped', signal: 'SIGKILL' } });
  expect(performance.now() - started).toBeGreaterThan(9500);
  expect(await final(second)).toMatchObject({ state: 'completed' });
  expect(await final(running)).toMatchObject({ error: { code: 'interrupted' }, turn: { signal: 'SIGKILL' } });
});

test('a direct prompt is refused while the agent is busy, and sent with force', async () => {
  const first = await direct({ prompt: '[[slow=60000]] to be replaced' });
  expect(first.status).toBe(200);
  const firstTurn = first.headers.get('x-houmao-turn-id');
  expect(await direct({ prompt: 'politely' })).toMatchObject({
    status: 409,
    body: { detail: { error_code: 'not_ready' } },
  });
  const second = await direct({ prompt: '[[slow=100]] by force', force: true });
  expect(second).toMatchObject({ status: 200, body: { forced: true } });
  const secondTurn = second.headers.get('x-houmao-turn-id');
  const replaced = (await call(gateway.url, 'GET', `/v1/turns/${firstTurn}`)).body;
  expect(replaced).toMatchObject({ state: 'ended', outcome: 'replaced', error: { code: 'replaced' } });
  const after = (await call(gateway.url, 'GET', `/v1/turns/${secondTurn}?wait_seconds=20`)).body;
  expect(after).toMatchObject({ state: 'ended', outcome: 'completed' });
  const events = expectedLines(session.paths).events.map((line) => JSON.parse(line));
  const place = (kind: string, turnId: string | null) =>
    events.findIndex((event) => event.kind === kind && event.turn_id === turnId);
  expect(events[place('control_prompt_failed', firstTurn)]).toMatchObject({ outcome: 'replaced' });
  expect(place('control_prompt_failed', firstTurn)).toBeLessThan(
    place('control_prompt_submitted', secondTurn),
  );
  expect(place('control_prompt_completed', secondTurn)).toBeGreaterThan(0);
});

test('force takes the place of a queued turn too, and the queue goes on behind it', async () => {
  const text = '[[slow=60000]] queued and replaced';
  const queued = await prompt(text);
  const behind = await prompt('behind the forced one');
  await taken(text);
  expect(await direct({ prompt: 'forced over the queue', force: true })).toMatchObject({ status: 200 });
  expect(await final(queued)).toMatchObject({
    state: 'failed',
    error: { code: 'replaced' },
    turn: { outcome: 'replaced' },
  });
  expect(await final(behind)).toMatchObject({ state: 'completed' });
  const order = takenPrompts(session.ledger).map((entry) => entry.prompt);
  expect(order.indexOf('forced over the queue')).toBeLessThan(order.indexOf('behind the forced one'));
});

test('two forced prompts at once: never two agents', async () => {
  const before = linesOf(session.ledger).length;
  const answers = await Promise.all(
    [1, 2, 3].map((n) => direct({ prompt: `[[slow=300]] crowd ${n}`, force: true })),
  );
  const sent = answers
    .filter((answer) => answer.status === 200)
    .map((answer) => answer.headers.get('x-houmao-turn-id'));
  expect(sent.length).toBeGreaterThan(0);
  for (const turnId of sent) await call(gateway.url, 'GET', `/v1/turns/${turnId}?wait_seconds=20`);
  // An agent that obeys its signals writes its end before the next one may begin.
  const crowd = linesOf(session.ledger)
    .slice(before)
    .map((line) => JSON.parse(line) as LedgerEntry);
  const running = crowd.map((_entry, index) =>
    crowd.slice(0, index + 1).reduce((sum, entry) => sum + (entry.done ? -1 : 1), 0),
  );
  expect(Math.max(...running)).toBe(1);
});

test('a waiting request can be cancelled, a running one not', async () => {
  const text = '[[slow=60000]] holder';
  const running = await prompt(text);
  const waiting = await prompt('never to run');
  await taken(text);
  expect((await call(gateway.url, 'DELETE', `/v1/requests/${running}`)).status).toBe(409);
  expect((await call(gateway.url, 'DELETE', `/v1/requests/${waiting}`)).body).toMatchObject({
    state: 'cancelled',
  });
  await final(await interrupt());
  await final(running);
  expect(takenPrompts(session.ledger).map((entry) => entry.prompt)).not.toContain('never to run');
});
