import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { promptAndWait } from '../../support/http.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { agentsOf, takenPrompts } from '../recovery/evidence.js';

let session: TestSession;
let gateway: GatewayProcess;
beforeAll(async () => {
  session = await makeSession();
  gateway = await startGateway(session);
});
afterAll(async () => {
  expect(await gateway.stop()).toBe(0);
  session.remove();
});

const residentMegabytes = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.child.pid}/status`, 'utf8'))?.[1]) / 1024;

test.each([
  ['[[crash]] x', 'agent_crashed', /killed by SIGKILL/, { signal: 'SIGKILL', exit_code: null }],
  [
    '[[exit=3]] x',
    'agent_failed',
    /exited with code 3.*asked to exit with code 3/s,
    { signal: null, exit_code: 3 },
  ],
  ['[[no-result]] x', 'no_result', /never reported a result/, { signal: null, exit_code: 0 }],
  ['[[fail=401]] x', 'api_error', /API error 401: the provider refused the credentials/, { exit_code: 1 }],
  ['[[fail=429]] x', 'api_error', /API error 429: .* limits the rate/, { exit_code: 1 }],
  ['[[fail=529]] x', 'api_error', /API error 529: the provider is overloaded/, { exit_code: 1 }],
])('%s fails as %s', async (prompt, code, detail, end) => {
  const record = await promptAndWait(gateway.url, prompt);
  expect(record).toMatchObject({ state: 'failed', error: { code } });
  expect(record.error.detail).toMatch(detail);
  expect(record.turn).toMatchObject({ state: 'ended', outcome: 'failed', ...end });
});

test.each([
  ['[[garbage]] garbled', /You said: garbled/],
  ['[[hugerow=50]] huge row', /You said: huge row/],
  ['[[stderr=3000]] noisy', /You said: noisy/],
  ['[[drip=1]] drop by drop', /You said: drop by drop/],
])('%s still completes', async (prompt, answer) => {
  const record = await promptAndWait(gateway.url, prompt);
  expect(record).toMatchObject({
    state: 'completed',
    error: null,
    turn: { outcome: 'completed', exit_code: 0 },
  });
  expect(record.turn.answer.text).toMatch(answer);
});

test('an agent that stays after its result is ended, and the turn completed', async () => {
  const record = await promptAndWait(gateway.url, '[[no-exit]] stay');
  expect(record).toMatchObject({ state: 'completed', turn: { outcome: 'completed' } });
  expect(agentsOf(session)).toEqual([]);
});

test('a grandchild that keeps the pipe neither holds the turn nor outlives it', async () => {
  // Ten minutes: a turn that waited for it would outlast the test.
  const record = await promptAndWait(gateway.url, '[[grandchild=600000]] fork');
  expect(record.state).toBe('completed');
  expect(agentsOf(session)).toEqual([]);
});

test('200 MiB of rows are read without being kept', async () => {
  await promptAndWait(gateway.url, '[[huge=20]] warm up');
  const before = residentMegabytes();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMegabytes());
  }, 50);
  const record = await promptAndWait(gateway.url, '[[huge=200]] flood');
  clearInterval(watch);
  expect(record.state).toBe('completed');
  console.log(`RSS ${before.toFixed(0)} MB before, ${peak.toFixed(0)} MB at most`);
  // Rows that are kept would stand there whole, at least. Those that wait for a collection are less than half of this.
  expect(peak - before).toBeLessThan(150);
});

test.each([
  ['--version'],
  ['-p --resume nothing'],
  ['--'],
  ['$(touch pwned) `id` "quoted" \'too\' \\n'],
  ['Zeilen\nund Ümläute 🙂\n'],
])('the prompt %j reaches the agent as it is', async (prompt) => {
  const record = await promptAndWait(gateway.url, prompt);
  expect(record.state).toBe('completed');
  expect(takenPrompts(session.ledger).at(-1)?.prompt).toBe(prompt);
});

test('a prompt of 300 KB reaches the agent whole', async () => {
  const prompt = 'long words '.repeat(300_000 / 11);
  const record = await promptAndWait(gateway.url, prompt);
  expect(record.state).toBe('completed');
  expect(takenPrompts(session.ledger).at(-1)?.prompt).toBe(prompt);
});
