// A name without a host: this host first, then the only host of the fleet that has it.
import { beforeAll, expect, test } from 'vitest';
import { fleetEngine } from '../../support/fleet/engine.js';
import { type FleetHost, fleetHosts, listsAgents } from '../../support/fleet/hosts.js';
import { takenPrompts } from '../recovery/evidence.js';

const engine = fleetEngine('ws1', 'ws2', 'ws3');
const start = fleetHosts(engine);
let ws1: FleetHost;
let ws2: FleetHost;
let ws3: FleetHost;
beforeAll(async () => {
  await engine.start();
  ws1 = await start('ws1', { agent: 'alpha' });
  ws2 = await start('ws2', { agent: 'beta' });
  ws3 = await start('ws3', { agent: 'beta' });
  for (const host of [ws1, ws2]) await listsAgents(host, 'alpha@ws1', 'beta@ws2', 'beta@ws3');
}, 180_000);

const promptsOf = ({ session }: FleetHost) => takenPrompts(session.ledger).map(({ prompt }) => prompt);

test.each([
  ['GET', '/houmao/agents/beta', undefined],
  ['POST', '/houmao/agents/beta/requests', { request_kind: 'submit_prompt', prompt: 'direct' }],
  ['POST', '/houmao/agents/beta/gateway/requests', { kind: 'submit_prompt', payload: { prompt: 'queued' } }],
])('that agents of two other hosts have is refused and names both: %s %s', async (method, path, body) => {
  const { status, headers, body: refusal } = await ws1.ask(method, path, body);
  expect([status, headers.get('x-houmao-error-code')]).toEqual([409, 'ambiguous_agent']);
  for (const reference of ['beta@ws2', 'beta@ws3']) expect(refusal.detail).toContain(reference);
});

test('that an agent of this host has too is that one', async () => {
  const body = { kind: 'submit_prompt', payload: { prompt: 'here' } };
  expect((await ws2.ask('POST', '/houmao/agents/beta/gateway/requests', body)).status).toBe(200);
  await expect.poll(() => promptsOf(ws2)).toEqual(['here']);
  expect(promptsOf(ws3)).toEqual([]);
});
