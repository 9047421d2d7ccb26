// All agents of a host at a glance: of one with a gateway, and of one whose turns the server runs.
import { existsSync, readFileSync } from 'node:fs';
import { createHoumaoClient, type Schemas } from '@houmao/sdk/managed-agent';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionPaths } from '../../../src/session/session-paths.js';
import { launchOn } from '../../support/managed-agents.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

type Overview = Schemas['HostOverview'];
type Seen = Schemas['AgentOverview'];

let server: ManagedServer;
let guided: SessionPaths;
beforeEach(async () => {
  const folder = temporaryFolder();
  server = await openManagedServer(folder);
  guided = await launchOn(server.host, folder, 'guided');
  await launchOn(server.host, folder, 'alone');
  await server.server.directory.changed();
  await attach();
});
afterEach(async () => {
  for (const name of ['guided', 'alone']) await server.ask('POST', `/houmao/agents/${name}/stop`);
  await server.close();
  expect(server.faults).toEqual([]);
});

const attach = async () => {
  const body = { execution_mode: 'detached_process' };
  expect((await server.ask('POST', '/houmao/agents/guided/gateway/attach', body)).status).toBe(200);
};
const gatewayPid = (): number => JSON.parse(readFileSync(guided.currentInstance, 'utf8')).pid;
const client = () => createHoumaoClient({ baseUrl: server.url, timeoutMs: 60_000 });
const prompted = (name: string, prompt: string) => client().agent(name).submit(prompt);
const overview = async (query = ''): Promise<Overview> => {
  const { status, body } = await server.ask('GET', `/houmao/overview${query}`);
  expect(status).toBe(200);
  return body;
};
const of = ({ agents }: Overview, name: string): Seen => {
  const found = agents.find(({ agent_name }) => agent_name === `HOUMAO-${name}`);
  if (!found) throw new Error(`the overview has no ${name}`);
  return found;
};
/** Follows the changes until an agent is as wanted. */
async function until(name: string, isWanted: (seen: Seen) => boolean): Promise<Seen> {
  for (let after = ''; ; ) {
    const seen = await overview(`?wait_seconds=30${after}`);
    const one = seen.agents.find(({ agent_name }) => agent_name === `HOUMAO-${name}`);
    if (one && isWanted(one)) return one;
    after = `&after=${seen.version}`;
  }
}

/** The overview once both agents were seen, which takes longer than a moment on a busy machine. */
async function settled(): Promise<Overview> {
  for (const name of ['guided', 'alone']) await until(name, ({ state }) => state === 'ready');
  return overview();
}

test('names every agent, with what it works on, what waits and how its latest turn ended', async () => {
  const before = await settled();
  expect(
    before.agents.map(({ agent_name, state, has_gateway, running, last_turn }) => ({
      agent_name,
      state,
      has_gateway,
      running,
      last_turn,
    })),
  ).toEqual([
    { agent_name: 'HOUMAO-alone', state: 'ready', has_gateway: false, running: null, last_turn: null },
    { agent_name: 'HOUMAO-guided', state: 'ready', has_gateway: true, running: null, last_turn: null },
  ]);
  const long = `[[slow=60000]] ${'a long prompt '.repeat(30)}`;
  const [first, second] = [await prompted('guided', long), await prompted('alone', '[[slow=60000]] alone')];
  const waiting = await server.ask('POST', '/houmao/agents/guided/gateway/requests', {
    kind: 'submit_prompt',
    payload: { prompt: 'later' },
  });
  expect(waiting.status).toBe(200);
  const seen = await until('guided', ({ queue }) => queue?.waiting === 1);
  expect(seen).toMatchObject({
    state: 'working',
    running: { turn_id: first.turnId, origin: 'queue', prompt_preview: long.slice(0, 200) },
    queue: { waiting: 1, paused: false },
  });
  expect(of(await overview(), 'alone')).toMatchObject({
    state: 'working',
    running: { turn_id: second.turnId, origin: 'direct', request_id: null, prompt_preview: null },
  });
  await first.interrupt();
  await second.interrupt();
  expect(await until('guided', ({ state }) => state === 'ready')).toMatchObject({
    running: null,
    last_turn: {
      outcome: 'completed',
      answer_preview: expect.stringMatching(/^You said: later/),
      error: null,
    },
  });
  expect(await until('alone', ({ state }) => state === 'ready')).toMatchObject({
    last_turn: { turn_id: second.turnId, outcome: 'interrupted' },
  });
});

test('has one version for one state, and answers a version that is none of it at once', async () => {
  const first = await settled();
  expect(first.version).toBe((await overview()).version);
  const other = await overview(`?after=${'0'.repeat(16)}&wait_seconds=60`);
  expect(other.version).toBe(first.version);
  expect((await overview(`?after=${first.version}&wait_seconds=0.2`)).agents).toEqual(first.agents);
});

test('answers all readers that wait when something happens', async () => {
  const { version } = await settled();
  const reads = Array.from({ length: 5 }, () => overview(`?after=${version}&wait_seconds=60`));
  await prompted('guided', '[[slow=60000]] wake them');
  const answers = await Promise.all(reads);
  for (const answer of answers) expect(answer.version).not.toBe(version);
});

test('sees what nothing reports: a gateway that was killed, whose turn goes on at the server', async () => {
  const turn = await prompted('guided', '[[slow=60000]] survive');
  expect(await until('guided', ({ running }) => running !== null)).toMatchObject({ has_gateway: true });
  process.kill(gatewayPid(), 'SIGKILL');
  const left = await until('guided', ({ has_gateway, state }) => !has_gateway && state === 'working');
  expect(left.running?.turn_id).toBe(turn.turnId);
  await turn.interrupt();
  expect(await until('guided', ({ running }) => running === null)).toMatchObject({
    last_turn: { turn_id: turn.turnId, outcome: 'interrupted' },
  });
});

test('is not held up by a gateway that hangs, which is called unknown', async () => {
  const before = await settled();
  const pid = gatewayPid();
  process.kill(pid, 'SIGSTOP');
  try {
    // The other agent is seen while the gateway hangs: each call to it is given up after seconds.
    const { turnId } = await prompted('alone', 'meanwhile');
    expect(of(await overview(), 'alone')).not.toEqual(of(before, 'alone'));
    expect(await until('guided', ({ state }) => state === 'unknown')).toMatchObject({
      has_gateway: false,
      detail: 'The gateway of the agent runs but gives no usable answer.',
    });
    expect(await until('alone', ({ last_turn }) => last_turn !== null)).toMatchObject({
      last_turn: { turn_id: turnId },
    });
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  expect(await until('guided', ({ state }) => state === 'ready')).toMatchObject({ has_gateway: true });
});

test('shows an agent that comes and one that goes, while it is followed', async () => {
  await launchOn(server.host, temporaryFolder(), 'late');
  expect(await until('late', ({ state }) => state === 'ready')).toMatchObject({ tool: 'claude' });
  const { version } = await overview();
  const next = overview(`?after=${version}&wait_seconds=60`);
  await server.ask('POST', '/houmao/agents/late/stop');
  const { agents } = await next;
  expect(agents.map(({ agent_name }) => agent_name)).not.toContain('HOUMAO-late');
});

test('ends its waits when the server stops, and is the same after a restart', async () => {
  const before = await settled();
  const waiting = overview(`?after=${before.version}&wait_seconds=60`);
  const folder = server.host.registryRoot.replace(/\/registry$/, '');
  await expect.poll(() => existsSync(folder)).toBe(true);
  await server.close();
  expect((await waiting).version).toBe(before.version);
  server = await openManagedServer(folder);
  expect((await overview(`?after=${before.version}`)).version).toBe(before.version);
});

test('refuses a version and a wait that are none', async () => {
  const refused = async (query: string) => {
    const { status, body } = await server.ask('GET', `/houmao/overview?${query}`);
    return [status, body.detail[0].loc];
  };
  expect(await refused('after=yesterday')).toEqual([422, ['query', 'after']]);
  expect(await refused('wait_seconds=61')).toEqual([422, ['query', 'wait_seconds']]);
});

describe('one agent', () => {
  const one = async (name: string, query = '') =>
    (await server.ask('GET', `/houmao/agents/${name}/overview${query}`)).body;

  test('is as the overview of all has it, and waits for changes of its own', async () => {
    const all = await settled();
    const first = await one('guided');
    expect(first).toMatchObject({ schema_version: 1, agent: of(all, 'guided') });
    const waiting = one('guided', `?after=${first.version}&wait_seconds=60`);
    const turn = await prompted('alone', '[[slow=60000]] of another one');
    await until('alone', ({ running }) => running !== null);
    const { requestId } = await client().agent('guided').gateway.submit('its own');
    const { version, agent } = await waiting;
    expect(version).not.toBe(first.version);
    expect(agent).not.toEqual(first.agent);
    expect([agent.running?.request_id, agent.last_turn?.turn_id ?? null]).not.toEqual([null, null]);
    await client().agent('guided').gateway.request(requestId).answer();
    await turn.interrupt();
  });

  test('has one version for one state, and ends its wait where nothing changes', async () => {
    await settled();
    const first = await one('alone');
    expect(await one('alone', `?after=${first.version}&wait_seconds=0.3`)).toMatchObject({
      version: first.version,
      agent: first.agent,
    });
    expect((await one('alone', `?after=${'0'.repeat(16)}&wait_seconds=60`)).version).toBe(first.version);
  });

  test('that is stopped during the wait is a 404', async () => {
    await launchOn(server.host, temporaryFolder(), 'late');
    const { version } = await one('late');
    const path = `/houmao/agents/late/overview?after=${version}&wait_seconds=60`;
    const waiting = server.ask('GET', path);
    await server.ask('POST', '/houmao/agents/late/stop');
    const { status, headers } = await waiting;
    expect([status, headers.get('x-houmao-error-code')]).toEqual([404, 'unknown_agent']);
  });

  test('refuses a version that is none', async () => {
    const { detail } = await one('alone', '?after=yesterday');
    expect(detail[0].loc).toEqual(['query', 'after']);
  });
});
