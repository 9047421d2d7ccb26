import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { call, promptAndWait, waitFinal } from '../../support/http.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { agentsOf, eventually, heldAgent, takenPrompts } from './evidence.js';
import { usePrivateTmux } from './private-tmux.js';

const tmux = usePrivateTmux();
let session: TestSession;
afterEach(() => {
  expect(agentsOf(session)).toEqual([]);
  session.remove();
});
afterAll(() => tmux.remove());

const submit = async (gateway: GatewayProcess, prompt: string): Promise<string> =>
  (await call(gateway.url, 'POST', '/v1/requests', { kind: 'submit_prompt', payload: { prompt } })).body
    .request_id;
const interrupt = async (gateway: GatewayProcess): Promise<string> =>
  (await call(gateway.url, 'POST', '/v1/requests', { kind: 'interrupt', payload: {} })).body.request_id;
const taken = (text: string) =>
  eventually(`the agent taking ${text}`, () =>
    takenPrompts(session.ledger).find((entry) => entry.prompt === text),
  );
const jobFiles = () => readdirSync(session.paths.run).filter((name) => name.startsWith('job-'));
/** Waits until the gateway has noticed that its agent is gone: a look counts for a second. */
const expectUnavailable = (gateway: GatewayProcess) =>
  expect
    .poll(async () => (await call(gateway.url, 'GET', '/v1/status')).body.request_admission)
    .toBe('blocked_unavailable');
const tmuxName = async (gateway: GatewayProcess): Promise<string> =>
  (await call(gateway.url, 'GET', '/v1/status')).body.tmux_session_name;

test('prompt and resume in the pane, where a person can read the answer', async () => {
  session = await makeSession({ tmux: true });
  const gateway = await startGateway(session);
  const first = await promptAndWait(gateway.url, 'in the pane');
  expect(first).toMatchObject({
    state: 'completed',
    turn: { outcome: 'completed', exit_code: 0, delivery: { state: 'confirmed' } },
  });
  expect(first.turn.answer.text).toContain('You said: in the pane (turn 1 ');
  const second = await promptAndWait(gateway.url, '--version');
  expect(second.turn.answer.text).toContain('You said: --version (turn 2 ');
  expect(tmux.run('capture-pane', '-p', '-t', `=${await tmuxName(gateway)}:0.0`)).toContain(
    'You said: --version (turn 2 ',
  );
  expect(await promptAndWait(gateway.url, '[[exit=3]] x')).toMatchObject({
    error: { code: 'agent_failed' },
    turn: { exit_code: 3 },
  });
  expect(await promptAndWait(gateway.url, '[[crash]] x')).toMatchObject({
    error: { code: 'agent_crashed' },
    turn: { signal: 'SIGKILL' },
  });
  expect(await promptAndWait(gateway.url, '[[grandchild=60000]] x')).toMatchObject({ state: 'completed' });
  expect(agentsOf(session)).toEqual([]);
  expect(jobFiles()).toEqual([]);
  expect(await gateway.stop()).toBe(0);
});

test('an interrupt ends the turn in the pane by SIGINT', async () => {
  session = await makeSession({ tmux: true });
  const gateway = await startGateway(session);
  const running = await submit(gateway, '[[slow=60000]] long');
  await taken('[[slow=60000]] long');
  expect(await waitFinal(gateway.url, await interrupt(gateway))).toMatchObject({
    result: { outcome: 'stopped', signal: 'SIGINT' },
  });
  expect(await waitFinal(gateway.url, running)).toMatchObject({ error: { code: 'interrupted' } });
  // Before its agent is there: the interrupt waits for it and still ends that turn.
  const early = await submit(gateway, '[[slow=60000]] early');
  await eventually(
    'the turn being claimed',
    () => existsSync(session.paths.turnArtifacts) && readdirSync(session.paths.turnArtifacts).length === 2,
  );
  const stopped = await waitFinal(gateway.url, await interrupt(gateway));
  expect(stopped).toMatchObject({ result: { outcome: 'stopped' } });
  expect(await waitFinal(gateway.url, early)).toMatchObject({ error: { code: 'interrupted' } });
  expect(await promptAndWait(gateway.url, 'next')).toMatchObject({ state: 'completed' });
  expect(await gateway.stop()).toBe(0);
});

test('kill -9 of the gateway: the agent in the pane is ended before the next one starts', async () => {
  session = await makeSession({ tmux: true });
  let gateway = await startGateway(session);
  const text = '[[ignore-signals]] [[grandchild=120000]] [[slow=120000]] in a pane of a dead gateway';
  const running = await submit(gateway, text);
  const waiting = await submit(gateway, 'after it');
  const { turn_id } = await taken(text);
  await gateway.kill();
  expect(agentsOf(session).length).toBeGreaterThanOrEqual(1);
  gateway = await startGateway(session);
  expect(await waitFinal(gateway.url, running)).toMatchObject({
    state: 'failed',
    error: { code: 'gateway_restarted' },
    turn: { turn_id },
  });
  expect(await waitFinal(gateway.url, waiting)).toMatchObject({ state: 'completed' });
  expect(takenPrompts(session.ledger).map((entry) => entry.prompt)).toEqual([text, 'after it']);
  expect(await gateway.stop()).toBe(0);
});

test.each<[what: string, there: (turnFolder: string) => boolean]>([
  ['its folder', existsSync],
  ['its job file', (folder) => jobFiles().length > 0 || existsSync(join(folder, 'process.json'))],
  ['its runner', (folder) => existsSync(join(folder, 'process.json'))],
])('kill -9 when a turn has %s: nothing starts later, no job file stays', async (what, there) => {
  session = await makeSession({ tmux: true });
  let gateway = await startGateway(session);
  const { body } = await call(gateway.url, 'POST', '/v1/requests', {
    kind: 'submit_prompt',
    payload: { prompt: 'handed over [[slow=120000]]', turn_id: 'handed-over' },
  });
  await eventually(what, () => there(join(session.paths.turnArtifacts, 'handed-over')));
  await gateway.kill();
  gateway = await startGateway(session);
  expect(await waitFinal(gateway.url, body.request_id)).toMatchObject({
    error: { code: 'gateway_restarted' },
  });
  expect(agentsOf(session)).toEqual([]);
  expect(jobFiles()).toEqual([]);
  expect(await promptAndWait(gateway.url, 'next')).toMatchObject({ state: 'completed' });
  expect(await gateway.stop()).toBe(0);
  const prompts = takenPrompts(session.ledger).map(({ prompt }) => prompt);
  expect(prompts.filter((prompt) => prompt !== 'handed over [[slow=120000]]')).toEqual(['next']);
  expect(prompts.length).toBeLessThanOrEqual(2);
});

test('a pane that is killed while a turn runs: the turn goes on to its end, then the agent is unavailable', async () => {
  session = await makeSession({ tmux: true });
  const gateway = await startGateway(session);
  const name = await tmuxName(gateway);
  const text = '[[slow=1500]] pane about to go';
  const running = await submit(gateway, text);
  const goOn = await heldAgent(session.ledger, text);
  tmux.run('kill-pane', '-t', `=${name}:0.0`);
  goOn();
  expect(await waitFinal(gateway.url, running)).toMatchObject({
    state: 'completed',
    turn: { outcome: 'completed', exit_code: 0 },
  });
  expect(agentsOf(session)).toEqual([]);
  await expectUnavailable(gateway);
  const refused = await call(gateway.url, 'POST', '/v1/requests', {
    kind: 'submit_prompt',
    payload: { prompt: 'x' },
  });
  expect(refused).toMatchObject({ status: 503 });
  expect(refused.body.detail).toMatch(/tmux session/);
  expect(await gateway.stop()).toBe(0);
});

test('a runner that is killed: the agent does not outlive it, and the row says what happened', async () => {
  session = await makeSession({ tmux: true });
  const gateway = await startGateway(session);
  const text = '[[slow=60000]] without a supervisor';
  const running = await submit(gateway, text);
  const { turn_id } = await taken(text);
  tmux.run('respawn-pane', '-k', '-t', `=${await tmuxName(gateway)}:0.0`, 'sh');
  const { runner_pid } = JSON.parse(
    readFileSync(`${session.paths.turnArtifacts}/${turn_id}/process.json`, 'utf8'),
  );
  process.kill(runner_pid, 'SIGKILL');
  expect(await waitFinal(gateway.url, running)).toMatchObject({
    state: 'failed',
    error: { code: 'agent_crashed' },
  });
  expect(agentsOf(session)).toEqual([]);
  expect(await promptAndWait(gateway.url, 'goes on')).toMatchObject({ state: 'completed' });
  expect(await gateway.stop()).toBe(0);
});

test('a session that is killed: unavailable; what waits stays accepted', async () => {
  session = await makeSession({ tmux: true });
  const gateway = await startGateway(session);
  const name = await tmuxName(gateway);
  const busy = await submit(gateway, '[[slow=1200]] last words');
  const waiting = await submit(gateway, 'waits for a session');
  const goOn = await heldAgent(session.ledger, 'last words');
  tmux.run('kill-session', '-t', `=${name}`);
  goOn();
  await waitFinal(gateway.url, busy);
  await expectUnavailable(gateway);
  expect((await call(gateway.url, 'GET', '/v1/status')).body).toMatchObject({
    managed_agent_connectivity: 'unavailable',
    managed_agent_recovery: 'awaiting_rebind',
    request_admission: 'blocked_unavailable',
    queue_depth: 1,
  });
  expect((await call(gateway.url, 'GET', `/v1/requests/${waiting}`)).body).toMatchObject({
    state: 'accepted',
    waiting_reason: { code: 'unavailable' },
  });
  // The session is back under its name: the queue goes on by itself.
  tmux.run('new-session', '-d', '-s', name, '-n', 'agent', '-c', session.folder, '-x', '200', '-y', '50');
  expect(await waitFinal(gateway.url, waiting)).toMatchObject({ state: 'completed' });
  expect(await gateway.stop()).toBe(0);
});

test('SIGTERM of the gateway ends the turn in the pane; the session stays', async () => {
  session = await makeSession({ tmux: true });
  const gateway = await startGateway(session);
  const name = await tmuxName(gateway);
  const text = '[[slow=60000]] still at work';
  await submit(gateway, text);
  await taken(text);
  expect(await gateway.stop()).toBe(0);
  expect(agentsOf(session)).toEqual([]);
  expect(tmux.run('list-sessions', '-F', '#{session_name}')).toContain(name);
});
