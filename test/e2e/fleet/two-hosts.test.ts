// Two hosts of a fleet over a real NATS server: from one, everything of the agents of the other.
import { createHoumaoClient } from '@houmao/sdk/managed-agent';
import { beforeAll, describe, expect, test } from 'vitest';
import { fleetEngine } from '../../support/fleet/engine.js';
import { alphaAndBeta, type FleetHost, fleetHosts, giveCommand, waitFor } from '../../support/fleet/hosts.js';
import { takenPrompts } from '../recovery/evidence.js';

const engine = fleetEngine('ws1', 'ws2');
const start = fleetHosts(engine);
let ws1: FleetHost;
let ws2: FleetHost;
beforeAll(async () => {
  await engine.start();
  ({ ws1, ws2 } = await alphaAndBeta(start));
}, 120_000);

const promptsOf = ({ session }: FleetHost) => takenPrompts(session.ledger).map(({ prompt }) => prompt);

describe('an agent of another host', () => {
  test.each([
    ['GET', ''],
    ['GET', '/resolve'],
    ['GET', '/gateway'],
    ['GET', '/gateway/requests/gwreq-unknown'],
    ['GET', '/gateway/requests?limit=0'],
    ['GET', '/turns/turn-unknown'],
    ['GET', '/mail/status'],
    ['GET', '/nothing'],
  ])('answers %s %s as its own host does', async (method, path) => {
    const there = await ws2.ask(method, `/houmao/agents/beta${path}`);
    const here = await ws1.ask(method, `/houmao/agents/beta%40ws2${path}`);
    const said = (text: unknown) => JSON.stringify(text).replaceAll('beta@ws2', 'beta');
    expect(here.status).toBe(there.status);
    expect(said(here.body)).toBe(said(there.body));
    const code = 'x-houmao-error-code';
    expect(here.headers.get(code)).toBe(there.headers.get(code));
  });

  test('is found by its name alone, and prompted, awaited and streamed by the SDK', async () => {
    const client = createHoumaoClient({ baseUrl: ws1.server.url });
    await expect.poll(async () => (await ws1.ask('GET', '/houmao/agents/beta')).status).toBe(200);
    const agent = client.agent('beta@ws2');
    expect(await agent.prompt('at once')).toContain('at once');
    const handle = await agent.gateway.submit('in the queue');
    expect(await handle.answer()).toContain('in the queue');
    const kinds = new Set<string>();
    for await (const part of handle.stream()) kinds.add(part.kind);
    expect([...kinds]).toEqual(expect.arrayContaining(['delivery', 'text', 'ended']));
    expect(await handle.record()).toMatchObject({ state: 'completed' });
    expect(promptsOf(ws2)).toEqual(expect.arrayContaining(['at once', 'in the queue']));
    expect(promptsOf(ws1)).toEqual([]);
  });

  test.each([
    ['GET', '/state', undefined],
    ['POST', '/stop', undefined],
    ['POST', '/requests', { request_kind: 'submit_prompt', prompt: 'now' }],
    ['POST', '/gateway/requests', { kind: 'submit_prompt', payload: { prompt: 'queued' } }],
    ['POST', '/gateway/requests', { kind: 'interrupt', payload: {} }],
    ['GET', '/gateway/requests', undefined],
  ])('is unknown where its host is: %s %s %j', async (method, path, body) => {
    const answer = await ws1.ask(method, `/houmao/agents/beta%40ws9${path}`, body);
    const code = answer.headers.get('x-houmao-error-code');
    expect([answer.status, code]).toEqual([404, 'unknown_agent']);
    expect(answer.body.detail).toContain('ws1, ws2');
  });

  test('that its host does not have is unknown there, which the sentence names', async () => {
    const { status, body } = await ws1.ask('GET', '/houmao/agents/nobody%40WS2');
    expect([status, body.detail]).toEqual([404, expect.stringContaining('host ws2 has the name `nobody`')]);
  });

  test('gets an interrupt at once, and a body that breaks a rule is refused by this host', async () => {
    const path = '/houmao/agents/beta%40ws2/gateway/requests';
    const interrupt = await ws1.ask('POST', path, { kind: 'interrupt', payload: {} });
    expect(interrupt).toMatchObject({ status: 200, body: { request_kind: 'interrupt' } });
    const bad = await ws1.ask('POST', path, { kind: 'submit_prompt', payload: { prompt: ' ' } });
    expect(bad).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'payload', 'prompt'] }] } });
  });
});

describe('the list of the fleet', () => {
  const list = async (query = '') => (await ws1.ask('GET', `/houmao/agents?scope=fleet${query}`)).body;
  const referencesOf = ({ agents }: { agents: { place: { reference: string } }[] }) =>
    agents.map(({ place }) => place.reference);

  test('has the agents of both hosts, each with its host and how it stands there', async () => {
    await expect.poll(async () => referencesOf(await list())).toEqual(['alpha@ws1', 'beta@ws2']);
    const { agents } = await list('&state=ready');
    const [alpha, beta] = agents;
    const own = (await ws1.ask('GET', '/houmao/agents')).body.agents[0];
    expect(alpha).toMatchObject({ ...own, place: { host: 'ws1', seconds_ago: 0 } });
    expect(beta).toMatchObject({ session_root: null, place: { presence: 'online', state: 'ready' } });
    expect(beta.place.seconds_ago).toBeGreaterThanOrEqual(0);
    const { body } = await ws2.ask('GET', '/houmao/agents');
    expect(beta.tracked_agent_id).toBe(body.agents[0].tracked_agent_id);
  });

  test('comes in pages and with filters', async () => {
    const first = await list('&limit=1');
    expect(referencesOf(first)).toEqual(['alpha@ws1']);
    const second = await list(`&limit=1&cursor=${first.next_cursor}`);
    expect(referencesOf(second)).toEqual(['beta@ws2']);
    expect(second.next_cursor).toBeNull();
    expect(referencesOf(await list('&name=be'))).toEqual(['beta@ws2']);
    expect(referencesOf(await list('&tool=codex'))).toEqual([]);
  });

  test('takes no standing, which an agent of another host does not publish', async () => {
    const { status, body } = await ws1.ask('GET', '/houmao/agents?scope=fleet&with=standing');
    expect({ status, loc: body.detail[0].loc }).toEqual({ status: 422, loc: ['query', 'with'] });
  });
});

test('a command is accepted by the fleet, admitted by its host and delivered to the agent, each with its time', async () => {
  const id = await giveCommand(ws1, 'beta@ws2', 'by the fleet');
  const command = await waitFor(ws1, id);
  expect(command).toMatchObject({ state: 'delivered', host: 'ws2', agent_ref: 'beta', ended_at_utc: null });
  const request = await ws2.ask('GET', `/houmao/agents/beta/gateway/requests/${command.request_id}`);
  expect(request.body).toMatchObject({
    request_kind: 'submit_prompt',
    turn: { delivery: { state: 'confirmed' } },
  });
  const times = [command.accepted_at_utc, command.admitted_at_utc ?? '', command.delivered_at_utc ?? ''];
  expect(times.every((time) => !Number.isNaN(Date.parse(time)))).toBe(true);
});

test('a repeat under one key is one command, and runs once; with another body it is refused', async () => {
  const key = { 'Idempotency-Key': 'once' };
  const first = await giveCommand(ws1, 'beta@ws2', 'only once', key);
  expect(await giveCommand(ws1, 'beta@ws2', 'only once', key)).toBe(first);
  await waitFor(ws1, first);
  expect(await giveCommand(ws1, 'beta@ws2', 'only once', key)).toBe(first);
  const path = '/houmao/agents/beta%40ws2/gateway/requests';
  const other = await ws1.ask('POST', path, { kind: 'submit_prompt', payload: { prompt: 'other' } }, key);
  expect(other.status).toBe(422);
  expect(other.headers.get('x-houmao-error-code')).toBe('key_reused');
  expect(promptsOf(ws2).filter((prompt) => prompt === 'only once')).toHaveLength(1);
});

test('a host that is unknown is a refusal that names those there are, and a command that is unknown a 404', async () => {
  const body = { kind: 'submit_prompt', payload: { prompt: 'nowhere' } };
  const unknown = await ws1.ask('POST', '/houmao/agents/beta%40ws9/gateway/requests', body);
  expect(unknown).toMatchObject({
    status: 404,
    body: { detail: 'No host of the fleet has the name `ws9`. Hosts: ws1, ws2.' },
  });
  const command = await ws1.ask('GET', `/houmao/fleet/commands/fcmd-${'0'.repeat(32)}`);
  expect(command.status).toBe(404);
  expect(command.headers.get('x-houmao-error-code')).toBe('unknown_command');
});

test('the events of both hosts are in one order, each once, and go on behind a place', async () => {
  const id = await giveCommand(ws1, 'beta@ws2', 'to be seen');
  await waitFor(ws1, id);
  const read = async (after: string) =>
    (await ws1.ask('GET', `/houmao/fleet/events?after=${after}&limit=200&wait_seconds=1`)).body;
  const all = await read('0');
  const events: { id: string; host: string; event: { seq: number; kind: string } }[] = all.events;
  const numbers = events.flatMap(({ host, event }) => (host === 'ws2' ? [event.seq] : []));
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  expect(events.map(({ event }) => event.kind)).toContain('turn_confirmed');
  const middle = events[3]?.id ?? '';
  const rest: typeof events = (await read(middle)).events;
  expect(rest.slice(0, events.length - 4)).toEqual(events.slice(4));
});

test('the log of a host in a fleet has no warning of Node', async () => {
  await expect.poll(() => ws1.server.stderr()).toContain('ws1 is in the fleet');
  expect(ws1.server.stderr()).not.toContain('Warning');
});

test.each(['alpha', 'alpha@ws1'])(
  'a deadline that has passed is refused for %s, an agent of this host, which gets no prompt',
  async (name) => {
    const path = `/houmao/agents/${encodeURIComponent(name)}/gateway/requests`;
    const give = (prompt: string, deadline: string) =>
      ws1.ask(
        'POST',
        path,
        { kind: 'submit_prompt', payload: { prompt } },
        { 'X-Houmao-Deadline': deadline },
      );
    expect(await give('too late', '2026-01-01T00:00:00Z')).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['header', 'x-houmao-deadline'] }] },
    });
    expect((await give(`in time for ${name}`, '2999-01-01T00:00:00Z')).status).toBe(200);
    await expect.poll(() => promptsOf(ws1)).toContain(`in time for ${name}`);
    expect(promptsOf(ws1)).not.toContain('too late');
  },
);
