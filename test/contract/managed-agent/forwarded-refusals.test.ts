import { describe, expect, test } from 'vitest';
import { behindServer } from '../support/behind-server.js';
import { type PassedOperation, passedOperations } from '../support/forwarded-operations.js';

/** They work without a gateway. */
const needNoGateway = new Set(['getAgentGateway', 'attachGateway', 'detachGateway', 'resolveAgentMailbox']);
const row = (one: PassedOperation): [string, PassedOperation] => [one.operationId, one];
const passed = passedOperations.filter(({ operationId }) => !needNoGateway.has(operationId)).map(row);

describe('an agent without a gateway and without a mailbox', () => {
  const behind = behindServer({ gateway: false });

  test.each(passed)('%s answers 503', async (_id, { method, path, body, mail }) => {
    const answer = await behind.agent(method, path, body);
    const what = mail ? 'mailbox' : 'live gateway';
    expect(answer).toMatchObject({
      status: 503,
      body: { detail: expect.stringContaining(`\`${behind.name}\` has no ${what}. `) },
    });
  });

  test('its status is what the session keeps', async () => {
    const { status, body } = await behind.agent('GET', '/gateway');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      gateway_health: 'not_attached',
      managed_agent_connectivity: 'unavailable',
      request_admission: 'blocked_unavailable',
      terminal_surface_eligibility: 'unknown',
      gateway_host: null,
      gateway_port: null,
      managed_agent_instance_epoch: 0,
    });
  });

  test('where its mailbox lies is nowhere', async () => {
    const answer = await behind.agent('GET', '/mail/resolve-live');
    expect(answer).toMatchObject({
      status: 503,
      body: { detail: expect.stringContaining(`mailbox register ${behind.name} --mailbox-root <root>`) },
    });
  });
});
