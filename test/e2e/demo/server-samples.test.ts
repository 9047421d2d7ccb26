import { expect, test } from 'vitest';
import type { Part } from '../../contract/support/bundle.js';
import { call } from '../../support/http.js';
import { newHome, startDemo } from './demo-under-test.js';

// The samples on the server's page of `npm start` can be tried out as they are.

/** In an order in which each still finds what it names. */
const operations = [
  'getCurrentInstance',
  'listAgents',
  'getAgent',
  'getAgentGateway',
  'attachGateway',
  'submitAgentRequest',
  'getTurn',
  'getTurnRecord',
  'getTurnEvents',
  'getGatewayQueue',
  'getGatewayHeadlessState',
  'listGatewayRequests',
  'listGatewayEvents',
  'getGatewayTurn',
  'listGatewayReminders',
  'getGatewayMailNotifier',
  'updateGatewayMailNotifier',
  'resolveAgentMailbox',
  'getAgentMailStatus',
  'checkAgentMail',
  'setAgentMailState',
  'listAgentMail',
  'peekAgentMail',
  'readAgentMail',
  'fetchAgentMailAttachment',
  'sendAgentMail',
  'postAgentMail',
  'replyAgentMail',
  'markAgentMail',
  'moveAgentMail',
  'archiveAgentMail',
  'detachGateway',
] as const;

/** The address of an operation, with the samples of its parameters in it. */
function addressOf(contract: Part, path: string, parameters: readonly Part[]): string {
  const whole = parameters.map((one) => contract.components.parameters[one.$ref?.split('/').at(-1)] ?? one);
  return whole
    .filter((one) => one.in === 'path')
    .reduce((address, { name, example }) => address.replace(`{${name}}`, example), path);
}

/** Waits for the turn that the samples name: on a busy machine it still runs, and keeps a prompt back. */
const sampleTurnEnded = (server: string) =>
  call(server, 'GET', '/houmao/agents/demo/turns/turn-0f3c9d2b7a11/record?wait_seconds=60');

test('the samples of the server lead to the agents that are there', async () => {
  const { server, stop } = await startDemo(newHome());
  expect((await sampleTurnEnded(server)).body).toMatchObject({ state: 'ended', outcome: 'completed' });
  const { body: contract } = await call(server, 'GET', '/openapi.json');
  const all = Object.entries<Part>(contract.paths).flatMap(([path, item]) =>
    Object.entries<Part>(item).map(([method, operation]) => ({ path, method, ...operation })),
  );
  const statuses: Record<string, unknown> = {};
  for (const id of operations) {
    const one = all.find((operation) => operation.operationId === id);
    const media = one?.requestBody?.content['application/json'];
    const [named] = Object.values<Part>(media?.examples ?? {});
    const address = addressOf(contract, one?.path ?? '', one?.parameters ?? []);
    const answer = await call(server, one?.method.toUpperCase(), address, media?.example ?? named?.value);
    statuses[id] = answer.status === 200 ? 200 : [answer.status, answer.body];
  }
  expect(statuses).toEqual(Object.fromEntries(operations.map((id) => [id, 200])));
  expect(await stop()).toBe(0);
});
