// Every status of the operations of a fleet, by real servers and a real NATS server.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fleetEngine } from '../../support/fleet/engine.js';
import { type FleetHost, fleetHosts, giveCommand, knows } from '../../support/fleet/hosts.js';
import { managedHost, type ServerProcess, startManagedServer } from '../../support/managed-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const command = `fcmd-${'0'.repeat(32)}`;
const codeOf = ({ headers }: { headers: Headers }) => headers.get('x-houmao-error-code');

test('the agents and commands of a fleet are a 404 at a server that is in none', async () => {
  const folder = temporaryFolder();
  const server = await startManagedServer(managedHost(folder), folder);
  expect((await server.ask('GET', '/houmao/fleet')).body.state).toBe('none');
  const answers = [
    await server.ask('GET', '/houmao/agents?scope=fleet'),
    await server.ask('GET', '/houmao/fleet/commands'),
  ];
  await server.stop();
  for (const answer of answers) expect([answer.status, codeOf(answer)]).toEqual([404, 'no_fleet']);
});

describe('a host that does not reach its fleet', () => {
  const folder = temporaryFolder();
  let server: ServerProcess;
  beforeAll(async () => {
    // Port 1 is nobody's.
    const flags = ['--fleet', 'nats://127.0.0.1:1', '--host-name', 'ws1'];
    server = await startManagedServer(managedHost(folder), folder, { flags });
  });
  afterAll(() => server.stop());

  test.each([
    ['GET', '/houmao/agents/beta@ws2'],
    ['GET', '/houmao/agents/beta@ws2/resolve'],
    ['GET', '/houmao/agents/beta@ws2/overview'],
    ['GET', '/houmao/agents/beta@ws2/state'],
    ['GET', '/houmao/agents/beta@ws2/state/detail'],
    ['GET', '/houmao/agents/beta@ws2/log'],
    ['GET', '/houmao/fleet/events'],
    ['GET', '/houmao/fleet/commands'],
    ['GET', `/houmao/fleet/commands/${command}`],
    ['DELETE', `/houmao/fleet/commands/${command}`],
  ])('answers %s %s with 503', async (method, path) => {
    const answer = await server.ask(method, path);
    expect([answer.status, codeOf(answer)]).toEqual([503, 'fleet_offline']);
  });

  test('answers what it knows by itself', async () => {
    expect((await server.ask('GET', '/houmao/fleet/hosts')).body).toEqual({ schema_version: 1, hosts: [] });
    expect((await server.ask('GET', '/houmao/agents?scope=fleet')).body).toEqual({ agents: [] });
    expect((await server.ask('GET', '/houmao/fleet')).body.host).toBe('ws1');
  });
});

describe('a host in its fleet', () => {
  const engine = fleetEngine('ws1', 'ws2');
  const start = fleetHosts(engine);
  let ws1: FleetHost;
  beforeAll(async () => {
    await engine.start();
    ws1 = await start('ws1');
    const ws2 = await start('ws2', { agent: 'beta' });
    await knows(ws1, 'ws1', 'ws2');
    await ws2.away();
  }, 120_000);

  test('lists its hosts and events', async () => {
    const { hosts } = (await ws1.ask('GET', '/houmao/fleet/hosts')).body;
    expect(hosts.map(({ host }: { host: string }) => host)).toEqual(['ws1', 'ws2']);
    expect((await ws1.ask('GET', '/houmao/fleet/events')).status).toBe(200);
  });

  test('takes a prompt for a host that is away, and cancels it', async () => {
    const id = await giveCommand(ws1, 'beta@ws2', 'later');
    const path = `/houmao/fleet/commands/${id}`;
    expect(await ws1.ask('GET', path)).toMatchObject({ status: 200, body: { state: 'accepted' } });
    expect(await ws1.ask('DELETE', path)).toMatchObject({ status: 200, body: { state: 'cancelled' } });
  });

  test('lists the prompts that wait, and refuses a list that breaks a rule', async () => {
    await giveCommand(ws1, 'beta@ws2', 'listed');
    const { status, body } = await ws1.ask('GET', '/houmao/fleet/commands?host=ws2&agent=beta');
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { commands: [{ prompt_preview: 'listed' }], total: 1 },
    });
    expect((await ws1.ask('GET', '/houmao/fleet/commands?host=ws1')).body.total).toBe(0);
    const unknown = await ws1.ask('GET', '/houmao/fleet/commands?host=ws3');
    expect([unknown.status, codeOf(unknown)]).toEqual([404, 'unknown_agent']);
    const wrong = await ws1.ask('GET', '/houmao/fleet/commands?state=lost');
    expect([wrong.status, codeOf(wrong)]).toEqual([422, 'validation_failed']);
  });

  test('refuses to cancel a prompt that has lapsed', async () => {
    const id = await giveCommand(ws1, 'beta@ws2', 'late', { 'X-Houmao-Deadline': '2026-01-01T00:00:00Z' });
    const answer = await ws1.ask('DELETE', `/houmao/fleet/commands/${id}`);
    expect([answer.status, codeOf(answer)]).toEqual([409, 'request_not_waiting']);
  });
});
