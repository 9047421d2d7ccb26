import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { call, promptAndWait, waitFinal } from '../../support/http.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { confirmed } from '../machine/promises.js';
import {
  agentsOf,
  eventually,
  expectedLines,
  linesOf,
  markedProcesses,
  storedRequests,
  takenPrompts,
  withDatabase,
} from './evidence.js';

let session: TestSession;
afterEach(() => {
  expect(agentsOf(session)).toEqual([]);
  session.remove();
});

const submit = async (gateway: GatewayProcess, prompt: string, headers = {}): Promise<string> => {
  const answer = await call(
    gateway.url,
    'POST',
    '/v1/requests',
    { kind: 'submit_prompt', payload: { prompt } },
    headers,
  );
  expect(answer.status).toBe(202);
  return answer.body.request_id;
};
const taken = (text: string) =>
  eventually(`the agent taking ${text}`, () =>
    takenPrompts(session.ledger).find((entry) => entry.prompt === text),
  );
const pause = (gateway: GatewayProcess, paused: boolean) =>
  call(gateway.url, 'PUT', '/v1/control/queue', { paused });

function expectCompleteProjections(): void {
  const { events, log } = expectedLines(session.paths);
  expect(linesOf(session.paths.events)).toEqual(events);
  expect(linesOf(session.paths.log)).toEqual(log);
}

test('kill -9 while a turn runs: its row fails, its processes end first, the others run in order', async () => {
  session = await makeSession();
  let gateway = await startGateway(session);
  const text = '[[grandchild=120000]] [[slow=120000]] running when it died';
  const running = await submit(gateway, text);
  const waiting: string[] = [];
  for (const n of [1, 2, 3]) waiting.push(await submit(gateway, `waiting ${n}`));
  await taken(text);
  await eventually('agent and grandchild', () => agentsOf(session).length >= 2);
  await confirmed(gateway, running);
  await gateway.kill();
  // The agent does not die with its gateway: nothing has ended it yet.
  expect(agentsOf(session).length).toBeGreaterThanOrEqual(2);
  expect(existsSync(session.paths.currentInstance)).toBe(true);

  gateway = await startGateway(session);
  expect(agentsOf(session).filter((pid) => takenPrompts(session.ledger)[0]?.pid === pid)).toEqual([]);
  expect(await waitFinal(gateway.url, running)).toMatchObject({
    state: 'failed',
    error: { code: 'gateway_restarted' },
    turn: {
      state: 'ended',
      outcome: 'failed',
      error: { code: 'gateway_restarted' },
      delivery: { state: 'confirmed' },
    },
  });
  for (const id of waiting) expect(await waitFinal(gateway.url, id)).toMatchObject({ state: 'completed' });
  expect(takenPrompts(session.ledger).map((entry) => entry.prompt)).toEqual([
    text,
    'waiting 1',
    'waiting 2',
    'waiting 3',
  ]);
  expect(
    expectedLines(session.paths).log.some((line) => /recovered after a restart turns_ended=1/.test(line)),
  ).toBe(true);
  expect(await gateway.stop()).toBe(0);
  expectCompleteProjections();
});

test('an agent that ignores SIGTERM is killed before anything else runs', async () => {
  session = await makeSession();
  let gateway = await startGateway(session);
  const text = '[[ignore-signals]] [[slow=120000]] stubborn';
  await submit(gateway, text);
  const { pid } = await taken(text);
  await gateway.kill();
  gateway = await startGateway(session);
  expect(markedProcesses([takenPrompts(session.ledger)[0]?.turn_id ?? ''])).not.toContain(pid);
  expect(await promptAndWait(gateway.url, 'after the stubborn one')).toMatchObject({ state: 'completed' });
  expect(await gateway.stop()).toBe(0);
});

test('kill of the whole process group', async () => {
  session = await makeSession();
  let gateway = await startGateway(session, { detached: true });
  const text = '[[slow=120000]] group';
  const running = await submit(gateway, text);
  const waiting = await submit(gateway, 'survivor');
  await taken(text);
  const died = once(gateway.child, 'exit');
  process.kill(-(gateway.child.pid ?? 0), 'SIGKILL');
  await died;
  gateway = await startGateway(session);
  expect(await waitFinal(gateway.url, running)).toMatchObject({ error: { code: 'gateway_restarted' } });
  expect(await waitFinal(gateway.url, waiting)).toMatchObject({ state: 'completed' });
  expect(await gateway.stop()).toBe(0);
  expectCompleteProjections();
});

test('kill before the pid was on disk: the mark finds the agent', async () => {
  session = await makeSession();
  let gateway = await startGateway(session);
  const running = await submit(gateway, '[[slow=120000]] soon an orphan');
  const { turn_id } = await taken('[[slow=120000]] soon an orphan');
  await gateway.kill();
  // As if it had been killed between spawning and writing that down.
  withDatabase(session.paths, (database) =>
    database
      .prepare(`UPDATE turns SET processes_json = '[]', delivery_state = 'claimed' WHERE turn_id = ?`)
      .run(turn_id),
  );
  // The agent and its runner.
  expect(markedProcesses([turn_id])).toHaveLength(2);
  gateway = await startGateway(session);
  expect(markedProcesses([turn_id])).toEqual([]);
  expect(await waitFinal(gateway.url, running)).toMatchObject({
    error: { code: 'gateway_restarted' },
    turn: { delivery: { state: 'unconfirmed' } },
  });
  expect(await gateway.stop()).toBe(0);
});

test("another process that has a dead agent's pid is left alone", async () => {
  session = await makeSession();
  let gateway = await startGateway(session);
  await submit(gateway, '[[slow=120000]] dies with it');
  const { pid, turn_id } = await taken('[[slow=120000]] dies with it');
  await gateway.kill();
  process.kill(pid, 'SIGKILL');
  const bystander = spawn('sleep', ['60'], { stdio: 'ignore' });
  withDatabase(session.paths, (database) =>
    database
      .prepare('UPDATE turns SET processes_json = ? WHERE turn_id = ?')
      .run(JSON.stringify([{ pid: bystander.pid, startedAt: '1' }]), turn_id),
  );
  gateway = await startGateway(session);
  expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
  bystander.kill();
  expect(await gateway.stop()).toBe(0);
});

test('a direct prompt that a crash cut off has its end event, once', async () => {
  session = await makeSession();
  let gateway = await startGateway(session);
  const sent = await call(gateway.url, 'POST', '/v1/control/prompt', { prompt: '[[slow=120000]] direct' });
  const turnId = sent.headers.get('x-houmao-turn-id');
  await gateway.kill();
  for (let start = 0; start < 2; start += 1) {
    gateway = await startGateway(session);
    await gateway.kill();
  }
  const ends = expectedLines(session.paths)
    .events.map((line) => JSON.parse(line))
    .filter((event) => event.turn_id === turnId && event.kind.startsWith('control_prompt_'));
  expect(ends).toMatchObject([
    { kind: 'control_prompt_submitted' },
    { kind: 'control_prompt_failed', outcome: 'failed' },
  ]);
});

test('a lost 202: the same key again finds the row, also after a crash, and it ran once', async () => {
  session = await makeSession();
  let gateway = await startGateway(session);
  // A turn that the crash cuts off is not run again: here none begins before it.
  await pause(gateway, true);
  const headers = { 'Idempotency-Key': 'lost-answer-1' };
  const first = await submit(gateway, 'only once', headers);
  await gateway.kill();
  gateway = await startGateway(session);
  const again = await call(
    gateway.url,
    'POST',
    '/v1/requests',
    { kind: 'submit_prompt', payload: { prompt: 'only once' } },
    headers,
  );
  expect(again).toMatchObject({ status: 202, body: { request_id: first } });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  const other = await call(
    gateway.url,
    'POST',
    '/v1/requests',
    { kind: 'submit_prompt', payload: { prompt: 'changed' } },
    headers,
  );
  expect(other.status).toBe(422);
  await pause(gateway, false);
  expect(await waitFinal(gateway.url, first)).toMatchObject({ state: 'completed' });
  expect(await gateway.stop()).toBe(0);
  expect(storedRequests(session.paths)).toHaveLength(1);
  expect(takenPrompts(session.ledger).map(({ prompt }) => prompt)).toEqual(['only once']);
});

test('events.jsonl and gateway.log are complete and not doubled after many kills, cut lines and foreign words', async () => {
  session = await makeSession();
  const foreign: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    const gateway = await startGateway(session);
    const ids = await Promise.all([1, 2, 3, 4, 5].map((n) => submit(gateway, `round ${round} prompt ${n}`)));
    if (round % 2 === 0) await waitFinal(gateway.url, ids[1] ?? '');
    await gateway.kill();
    // A dying process may leave half a line; a crash report may stand on the shared log.
    const { log } = expectedLines(session.paths);
    const present = linesOf(session.paths.log).filter((line) => !foreign.includes(line)).length;
    const next = log[present];
    if (round % 3 === 1 && next !== undefined) appendFileSync(session.paths.log, next.slice(0, 17));
    if (round % 3 === 2) {
      foreign.push(`FATAL ERROR: round ${round}`, '----- Native stack trace -----');
      appendFileSync(session.paths.log, `${foreign.slice(-2).join('\n')}\n`);
    }
  }
  const gateway = await startGateway(session);
  await promptAndWait(gateway.url, 'the last one');
  expect(await gateway.stop()).toBe(0);
  const { events, log } = expectedLines(session.paths);
  expect(linesOf(session.paths.events)).toEqual(events);
  expect(linesOf(session.paths.log).filter((line) => !foreign.includes(line))).toEqual(log);
  expect(readFileSync(session.paths.log, 'utf8').endsWith('\n')).toBe(true);
}, 180_000);
