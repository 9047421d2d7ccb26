import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'vitest';
import { withoutTime } from '../../../src/foundation/program-line.js';
import type { GatewayProcess } from '../../support/gateway-process.js';
import { type Answer, call, waitFinal } from '../../support/http.js';
import { manage } from '../../support/manager.js';
import { gatewayProgram, type TestSession } from '../../support/test-session.js';
import { takenPrompts } from '../recovery/evidence.js';

// The promises of a gateway on a machine that turns against it: nothing acknowledged is lost, a clear line, a status that
// says so, and that it goes on when the cause is gone.

export const submit = (gateway: GatewayProcess, prompt: string): Promise<Answer> =>
  call(gateway.url, 'POST', '/v1/requests', { kind: 'submit_prompt', payload: { prompt } });

/** Queues a prompt that must be taken. @returns its id. */
export async function accepted(gateway: GatewayProcess, prompt: string): Promise<string> {
  const answer = await submit(gateway, prompt);
  expect([answer.status, answer.body.detail]).toEqual([202, undefined]);
  return answer.body.request_id;
}

/** Waits until the gateway has it from the agent itself that it took the prompt. */
export const confirmed = (gateway: GatewayProcess, id: string | undefined) =>
  expect
    .poll(async () => (await call(gateway.url, 'GET', `/v1/requests/${id}`)).body.turn?.delivery.state)
    .toBe('confirmed');

const queueOf = async (gateway: GatewayProcess) => (await call(gateway.url, 'GET', '/v1/control/queue')).body;

/** Waits until the gateway says what is wrong, and checks that it says so everywhere and takes nothing. */
export async function expectFault(gateway: GatewayProcess, code: string, path: string): Promise<void> {
  await expect.poll(async () => (await queueOf(gateway)).fault?.code).toBe(code);
  const { detail } = (await queueOf(gateway)).fault;
  expect(detail).toMatch(/^[^/]+\.$/);
  const refused = await submit(gateway, 'never taken');
  expect([refused.status, refused.body]).toEqual([503, { detail }]);
  const status = (await call(gateway.url, 'GET', '/v1/status')).body;
  expect(status).toMatchObject({ gateway_health: 'healthy', request_admission: 'blocked_unavailable' });
  expect((await call(gateway.url, 'GET', '/health')).body).toEqual({ protocol_version: 'v1', status: 'ok' });
  const line = gateway
    .stderr()
    .split('\n')
    .find(
      (text) =>
        withoutTime(text).startsWith(`houmao-gateway: ${path}`) &&
        text.includes(': nothing new is accepted or started; '),
    );
  expect([line !== undefined, gateway.stderr()]).toEqual([true, gateway.stderr()]);
}

/** Waits until the gateway says that everything is well again. */
export async function expectRecovery(gateway: GatewayProcess): Promise<void> {
  await expect.poll(async () => (await queueOf(gateway)).fault).toBeNull();
  await expect
    .poll(async () => (await call(gateway.url, 'GET', '/v1/status')).body.request_admission)
    .toBe('open');
  expect(gateway.stderr()).toContain('stored again, work continues');
}

/** Each of these was run once, in this order, and is found by its id. */
export async function expectEachOnce(
  gateway: GatewayProcess,
  ledger: string,
  ids: readonly string[],
  prompts: readonly string[],
): Promise<void> {
  for (const id of ids) expect(await waitFinal(gateway.url, id)).toMatchObject({ state: 'completed' });
  const taken = takenPrompts(ledger).map(({ prompt }) => prompt);
  expect(taken.filter((prompt) => prompts.includes(prompt ?? ''))).toEqual(prompts);
  expect(taken).not.toContain('never taken');
}

/** The output of `agents doctor`. */
export const doctor = async (session: TestSession): Promise<string> =>
  (await manage(session.environment, ['agents', 'doctor'])).stdout;

/** A turn that runs, for as long as a test needs to have it held, and two requests that wait. */
export async function threeAccepted(gateway: GatewayProcess): Promise<{ ids: string[]; prompts: string[] }> {
  const prompts = ['[[slow=2000]] runs', 'waits', 'waits too'];
  const ids: string[] = [];
  for (const prompt of prompts) ids.push(await accepted(gateway, prompt));
  return { ids, prompts };
}

/** Starts a gateway that cannot serve. */
export async function startAndFail(
  session: TestSession,
  through: readonly string[] = [],
): Promise<{ code: number | null; stderr: string }> {
  const args = [gatewayProgram, '--gateway-root', session.paths.root, '--host', '127.0.0.1', '--port', '0'];
  const [program = '', ...rest] = [...through, process.execPath, ...args];
  const child = spawn(program, rest, {
    env: session.environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr };
}
