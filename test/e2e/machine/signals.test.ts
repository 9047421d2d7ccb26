import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, watch } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { call, waitFinal } from '../../support/http.js';
import { gatewayProgram, makeSession, type TestSession } from '../../support/test-session.js';
import { agentsOf, eventually, storedRequests, takenPrompts } from '../recovery/evidence.js';
import { accepted, expectEachOnce, submit } from './promises.js';

let session: TestSession;
let gateway: GatewayProcess;
beforeEach(async () => {
  session = await makeSession();
});
afterEach(() => {
  expect(agentsOf(session)).toEqual([]);
  session.remove();
});

const ledger = () => (existsSync(session.ledger) ? readFileSync(session.ledger, 'utf8') : '');
const stateOf = async (id: string): Promise<string> =>
  (await call(gateway.url, 'GET', `/v1/requests/${id}`)).body.state;
const pause = (paused: boolean) => call(gateway.url, 'PUT', '/v1/control/queue', { paused });

/** The process tells itself to stop, and does nothing more. */
const stopsItself =
  "process.kill(process.pid, 'SIGTERM'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);";

/**
 * A gateway that is asked to stop while it starts.
 * @param changes after so many changes of files in its folder; 0 for before any code of its own.
 */
async function stopDuringStart(changes: number): Promise<{ how: unknown; stderr: string }> {
  const first = changes === 0 ? ['--import', `data:text/javascript,${stopsItself}`] : [];
  const args = ['--gateway-root', session.paths.root, '--host', '127.0.0.1', '--port', '0'];
  const child = spawn(process.execPath, [...first, gatewayProgram, ...args], {
    env: session.environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const closed = once(child, 'close');
  if (changes > 0) {
    await changesIn(session.paths.gateway, changes);
    child.kill('SIGTERM');
  }
  const [code, signal] = (await closed) as [number | null, string | null];
  return { how: code ?? signal, stderr };
}

/** Resolves when so many files of a folder were made or changed. */
function changesIn(folder: string, count: number): Promise<void> {
  return new Promise((resolve) => {
    let seen = 0;
    const watcher = watch(folder, { recursive: true }, () => {
      seen += 1;
      if (seen < count) return;
      watcher.close();
      resolve();
    });
  });
}

test('during the start, with a dead gateway to recover from: whatever the moment, nothing is lost', async () => {
  gateway = await startGateway(session);
  const running = await accepted(gateway, '[[slow=60000]] cut off');
  const waiting = await accepted(gateway, 'waits');
  await expect.poll(ledger).toContain('cut off');
  await pause(true);
  await gateway.kill();
  // Before it listens to signals there is nothing to tidy up, and it changes no file.
  expect(await stopDuringStart(0)).toEqual({ how: 'SIGTERM', stderr: '' });
  for (const changes of [1, 2, 4, 7, 11])
    expect({ changes, ...(await stopDuringStart(changes)) }).toEqual({ changes, how: 0, stderr: '' });
  gateway = await startGateway(session);
  expect(await waitFinal(gateway.url, running)).toMatchObject({ error: { code: 'gateway_restarted' } });
  await pause(false);
  await expectEachOnce(gateway, session.ledger, [waiting], ['waits']);
  expect(await gateway.stop()).toBe(0);
});

test('under load: every 202 that was answered is a row, and no row is half done', async () => {
  gateway = await startGateway(session);
  await pause(true);
  const answers = Array.from({ length: 60 }, (_, n) => submit(gateway, `load ${n}`).catch(() => null));
  await Promise.race(answers);
  expect(await gateway.stop()).toBe(0);
  const taken = (await Promise.all(answers)).flatMap((answer) =>
    answer?.status === 202 ? [answer.body.request_id] : [],
  );
  expect(taken.length).toBeGreaterThan(0);
  const rows = storedRequests(session.paths);
  expect(rows.map(({ state }) => state).filter((state) => state !== 'accepted')).toEqual([]);
  expect(rows.map(({ request_id }) => request_id)).toEqual(expect.arrayContaining(taken));
});

test('idle, with callers waiting: they get their answers, exit 0', async () => {
  gateway = await startGateway(session);
  await pause(true);
  const id = await accepted(gateway, 'waits');
  const { next_after } = (await call(gateway.url, 'GET', '/v1/events?limit=200')).body;
  const waiters = [
    call(gateway.url, 'GET', `/v1/requests/${id}?wait_seconds=60`),
    call(gateway.url, 'GET', `/v1/events?after=${next_after}&wait_seconds=60`),
  ];
  await call(gateway.url, 'GET', '/health');
  expect(await gateway.stop()).toBe(0);
  expect((await Promise.all(waiters)).map(({ status }) => status)).toEqual([200, 200]);
  gateway = await startGateway(session);
  await pause(false);
  await expectEachOnce(gateway, session.ledger, [id], ['waits']);
  expect(await gateway.stop()).toBe(0);
});

test.each([
  ['claimed', ''],
  ['handed over', 'stubborn'],
])('with a turn %s: it ends, its row says why, what waits runs later', async (_phase, seen) => {
  gateway = await startGateway(session);
  const running = await accepted(gateway, '[[ignore-signals]] [[slow=60000]] stubborn');
  const waiting = await accepted(gateway, 'later');
  await expect.poll(() => stateOf(running)).toBe('running');
  await expect.poll(ledger).toContain(seen);
  expect(await gateway.stop()).toBe(0);
  expect(storedRequests(session.paths)).toMatchObject([
    { request_id: running, state: 'failed', error_detail: expect.stringMatching(/gateway was stopped/) },
    { request_id: waiting, state: 'accepted' },
  ]);
  gateway = await startGateway(session);
  await expectEachOnce(gateway, session.ledger, [waiting], ['later']);
  expect(await gateway.stop()).toBe(0);
});

test('with an interrupt under way: both end, exit 0', async () => {
  gateway = await startGateway(session);
  const running = await accepted(gateway, '[[ignore-signals]] [[slow=60000]] deaf');
  await expect.poll(ledger).toContain('deaf');
  const interrupt = (await call(gateway.url, 'POST', '/v1/requests', { kind: 'interrupt', payload: {} })).body
    .request_id;
  await expect.poll(() => stateOf(interrupt)).toBe('running');
  expect(await gateway.stop()).toBe(0);
  const rows = Object.fromEntries(storedRequests(session.paths).map((row) => [row.request_id, row.state]));
  expect(rows).toEqual({ [running]: 'failed', [interrupt]: 'completed' });
});

test('a second SIGTERM does not wait for a turn that will not end; the next start ends it', async () => {
  gateway = await startGateway(session);
  const running = await accepted(gateway, '[[ignore-signals]] [[slow=60000]] deaf');
  const waiting = await accepted(gateway, 'later');
  const { pid } = await eventually('the agent', () => takenPrompts(session.ledger)[0]);
  const exited = once(gateway.child, 'exit');
  gateway.child.kill('SIGTERM');
  await expect.poll(() => readFileSync(session.paths.log, 'utf8')).toContain('gateway stopping');
  gateway.child.kill('SIGTERM');
  expect(await exited).toEqual([null, 'SIGTERM']);
  gateway = await startGateway(session);
  expect(agentsOf(session)).not.toContain(pid);
  expect((await waitFinal(gateway.url, running)).state).toBe('failed');
  await expectEachOnce(gateway, session.ledger, [waiting], ['later']);
  expect(await gateway.stop()).toBe(0);
});

test('a gateway that was stopped and continued goes on where it was', async () => {
  gateway = await startGateway(session);
  const prompts = ['[[slow=1000]] runs meanwhile', 'second', 'third'];
  const ids = [];
  for (const prompt of prompts) ids.push(await accepted(gateway, prompt));
  await expect.poll(ledger).toContain('meanwhile');
  const waiter = call(gateway.url, 'GET', `/v1/requests/${ids[2]}?wait_seconds=60`);
  gateway.child.kill('SIGSTOP');
  const late = submit(gateway, 'sent while it stood still');
  // The agent does not stand still with it.
  await expect.poll(ledger).toContain('"done"');
  gateway.child.kill('SIGCONT');
  const { status, body } = await late;
  expect(status).toBe(202);
  expect((await waiter).body.state).toBe('completed');
  await expectEachOnce(
    gateway,
    session.ledger,
    [...ids, body.request_id],
    [...prompts, 'sent while it stood still'],
  );
  expect(await gateway.stop()).toBe(0);
});

test('an agent that was stopped: it is waited for, continued it ends; an interrupt ends it in any case', async () => {
  gateway = await startGateway(session);
  const first = await accepted(gateway, '[[slow=3000]] paused');
  const { pid } = await eventually('the agent', () => takenPrompts(session.ledger)[0]);
  process.kill(pid, 'SIGSTOP');
  const polled = await call(gateway.url, 'GET', `/v1/requests/${first}?wait_seconds=1`);
  expect(polled.body.state).toBe('running');
  process.kill(pid, 'SIGCONT');
  expect((await waitFinal(gateway.url, first)).state).toBe('completed');
  const second = await accepted(gateway, '[[slow=60000]] stopped for good');
  const stopped = await eventually('the agent', () => takenPrompts(session.ledger)[1]);
  process.kill(stopped.pid, 'SIGSTOP');
  const interrupt = (await call(gateway.url, 'POST', '/v1/requests', { kind: 'interrupt', payload: {} })).body
    .request_id;
  expect(await waitFinal(gateway.url, interrupt)).toMatchObject({ state: 'completed' });
  expect(await waitFinal(gateway.url, second)).toMatchObject({
    state: 'failed',
    error: { code: 'interrupted' },
    turn: { signal: 'SIGKILL' },
  });
  const after = await accepted(gateway, 'after it');
  await expectEachOnce(gateway, session.ledger, [after], ['after it']);
  expect(await gateway.stop()).toBe(0);
});
