import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { connect } from '@nats-io/transport-node';
import { buckets, tokenOf } from '../../dist/src/fleet/engine/layout.js';
import { settingsText } from '../../dist/src/fleet/engine/server-config.js';
import { makeSession } from '../../test/torture/session.mjs';
import { natsServer } from '../tools/nats-server.mjs';
import { cpuOf, drive, freePort, residentMegabytes, sleep, startGateway, startServer } from './processes.mjs';
import { median, milliseconds, table } from './report.mjs';

const changes = 30;
const simulated = { hosts: 1000, agentsOfEach: 100 };
const idleMilliseconds = 20_000;
/** More than on its own host, in milliseconds; and of a second for a change to be seen elsewhere. */
const limits = { p50: 3, p99: 10, changeMilliseconds: 1000 };

/** Two hosts of a fleet, and one among a thousand: the price of an agent that is somewhere else. */
export async function fleet({ say, seconds, warmSeconds }) {
  const times = { say, seconds, warmSeconds };
  await inFleet(3, say, (ws1, ws2) => prompts(ws1, ws2, 'three NATS servers, each write on all', times));
  await inFleet(1, say, async (ws1, ws2, engine) => {
    await prompts(ws1, ws2, 'one NATS server', times);
    await changesSeen(ws1, ws2, say);
    await crowd(ws1, engine, say);
  });
}

async function inFleet(servers, say, measure) {
  const engine = await startEngine(servers, say);
  const hosts = [];
  try {
    for (const name of ['ws1', 'ws2']) hosts.push(await startHost(name, engine));
    const [ws1, ws2] = hosts;
    await until(async () => (await hostsOf(ws1)).length === 2);
    await measure(ws1, ws2, engine);
  } finally {
    for (const host of hosts) await host.stop();
    engine.stop();
  }
}

/** NATS without keys, which syncs every write: one server, or a cluster of so many. */
async function startEngine(servers, say) {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-bench-nats-'));
  const ports = [];
  for (let number = 0; number < servers * 2; number += 1) ports.push(await freePort());
  const [clients, routes] = [ports.slice(0, servers), ports.slice(servers)];
  const children = clients.map((port, number) => {
    const own = join(folder, `nats${number}`);
    mkdirSync(own);
    const files = { storeFolder: own, log: join(own, 'log'), portsFolder: null, hostsFile: null, tls: null };
    const links = routes.map((route) => `"nats://127.0.0.1:${route}"`).join(', ');
    const cluster = `server_name: nats${number}\ncluster { name: bench, listen: "127.0.0.1:${routes[number]}", routes: [ ${links} ] }\n`;
    const text = settingsText({ listen: { host: '127.0.0.1', port }, ...files });
    writeFileSync(join(own, 'nats.conf'), servers === 1 ? text : text + cluster);
    const child = spawn(natsServer(say), ['-c', join(own, 'nats.conf')], { stdio: 'ignore' });
    process.once('exit', () => child.kill('SIGKILL'));
    return child;
  });
  const urls = clients.map((port) => `nats://127.0.0.1:${port}`);
  await until(() => answers(urls));
  return {
    urls,
    replicas: servers,
    pid: children[0].pid,
    stop: () => {
      for (const child of children) child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Whether JetStream answers, which needs a leader. */
async function answers(urls) {
  const connection = await connect({ servers: urls, reconnect: false }).catch(() => null);
  if (connection === null) return false;
  try {
    await (await jetstreamManager(connection)).streams.names().next();
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}

/** A host with one agent, whose queue is paused so that nothing but the calls is measured. */
async function startHost(name, { urls, replicas }) {
  const session = await makeSession(`bench-${name}`);
  const gateway = await startGateway(session);
  const addresses = urls.flatMap((url) => ['--fleet', url]);
  const flags = [...addresses, '--fleet-replicas', String(replicas), '--host-name', name];
  const server = await startServer(session, flags);
  await until(async () => (await json(server, '/houmao/fleet')).state === 'online');
  return {
    name,
    server,
    gateway,
    agent: `bench-${name}-${process.pid}`,
    async stop() {
      await server.stop();
      await gateway.stop();
      session.remove();
    },
  };
}

async function prompts(ws1, ws2, over, { say, seconds, warmSeconds }) {
  const body = JSON.stringify({ kind: 'submit_prompt', payload: { prompt: 'p'.repeat(300) } });
  const there = `/houmao/agents/${ws2.agent}%40ws2`;
  const here = `/houmao/agents/${ws2.agent}`;
  const headers = { 'Content-Type': 'application/json' };
  const pause = JSON.stringify({ paused: true });
  await fetch(`${ws2.server.url}${here}/gateway/control/queue`, { method: 'PUT', headers, body: pause });
  const rows = [];
  for (const [name, method, path, sent, connections] of [
    ['`GET` state, 1 connection', 'GET', '/state', undefined, 1],
    ['`GET` state, 16 connections', 'GET', '/state', undefined, 16],
    ['`POST` gateway/requests, 1 connection', 'POST', '/gateway/requests', body, 1],
    ['`POST` gateway/requests, 16 connections', 'POST', '/gateway/requests', body, 16],
  ]) {
    say(name);
    const own = { connections, seconds, method, path: here + path, body: sent };
    const passed = { ...own, path: there + path };
    await drive(ws1.server, { ...passed, seconds: warmSeconds });
    const before = cpuOf(ws2.server.pid);
    const far = await drive(ws1.server, passed);
    const farOther = (cpuOf(ws2.server.pid) - before) / far.count;
    const near = await drive(ws2.server, own);
    const [p50, p99] = [far.p50 - near.p50, far.p99 - near.p99];
    rows.push([
      name,
      `${milliseconds(near.p50)}, ${milliseconds(near.p99)}`,
      `${milliseconds(far.p50)}, ${milliseconds(far.p99)}`,
      `${p50.toFixed(2)}, ${p99.toFixed(2)} ms`,
      `${Math.round(far.perSecond)} of ${Math.round(near.perSecond)}`,
      `${far.cpuMilliseconds.toFixed(2)} + ${farOther.toFixed(2)} against ${near.cpuMilliseconds.toFixed(2)} ms`,
      Object.keys(far.statuses).join(),
    ]);
  }
  console.log(
    table(
      [
        `an agent of another host, over ${over}`,
        'own host: p50, p99',
        'another: p50, p99',
        `more (limit ${limits.p50}, ${limits.p99} ms)`,
        'a second',
        'processor, both servers',
        'status',
      ],
      rows,
    ),
  );
}

/** How much later another host lists that an agent has begun to work than its own. */
async function changesSeen(ws1, ws2, say) {
  say(`${changes} changes of an agent, seen on another host`);
  const headers = { 'Content-Type': 'application/json' };
  const path = `/houmao/agents/${ws1.agent}/gateway/control/prompt`;
  const late = [];
  const stateAt = async ({ server }, query) => {
    const { agents } = await json(server, `/houmao/agents?${query}&name=${ws1.agent}`);
    return agents[0]?.place?.state ?? agents[0]?.standing?.state;
  };
  for (let number = 0; number < changes; number += 1) {
    const body = JSON.stringify({ prompt: '[[slow=1500]] work' });
    await fetch(`${ws1.server.url}${path}`, { method: 'POST', headers, body });
    await until(async () => (await stateAt(ws1, 'with=standing')) === 'working');
    const seen = performance.now();
    await until(async () => (await stateAt(ws2, 'scope=fleet')) === 'working');
    late.push(performance.now() - seen);
    await until(async () => (await stateAt(ws2, 'scope=fleet')) === 'ready');
  }
  late.sort((a, b) => a - b);
  console.log(
    table(
      ['a change on one host, listed on another', 'p50', 'the slowest', 'limit'],
      [
        [
          `${changes} changes`,
          milliseconds(median(late)),
          milliseconds(late.at(-1)),
          `${limits.changeMilliseconds} ms`,
        ],
      ],
    ),
  );
}

/** Hosts and agents that are nothing but their records: what a server has to know in a large fleet. */
async function crowd(ws1, { urls, pid }, say) {
  const { hosts, agentsOfEach } = simulated;
  say(`${hosts} hosts with ${hosts * agentsOfEach} agents`);
  const alone = residentMegabytes(ws1.server.pid);
  const connection = await connect({ servers: urls });
  const kvm = new Kvm(jetstream(connection));
  const [hostBucket, agentBucket] = [await kvm.open(buckets.hosts), await kvm.open(buckets.agents)];
  const started = performance.now();
  for (let host = 0; host < hosts; host += 1) {
    const name = `sim-${String(host).padStart(4, '0')}`;
    await hostBucket.put(name, JSON.stringify(hostRecord(name)));
    await Promise.all(
      Array.from({ length: agentsOfEach }, (_, agent) => {
        const copy = agentCopy(name, `claude_headless-20260313-000000Z-${name}-${agent}`);
        return agentBucket.put(`${name}.${tokenOf(copy.tracked_agent_id)}`, JSON.stringify(copy));
      }),
    );
  }
  const written = performance.now() - started;
  await until(async () => (await hostsOf(ws1)).length >= hosts + 2);
  await until(
    async () =>
      (await json(ws1.server, '/houmao/agents?scope=fleet&limit=1&name=sim-0999-agent')).agents.length > 0,
  );
  const page = { connections: 1, seconds: 4, method: 'GET' };
  const first = await drive(ws1.server, { ...page, path: '/houmao/agents?scope=fleet&limit=100' });
  const filtered = await drive(ws1.server, {
    ...page,
    path: '/houmao/agents?scope=fleet&limit=100&state=needs_person',
  });
  const before = cpuOf(ws1.server.pid);
  const engineBefore = cpuOf(pid);
  await sleep(idleMilliseconds);
  const share = (used) => `${((used / idleMilliseconds) * 100).toFixed(2)} %`;
  console.log(
    table(
      [`${hosts} hosts, ${hosts * agentsOfEach} agents`, ''],
      [
        [
          'memory of a server, before and with them',
          `${alone.toFixed(0)}, ${residentMegabytes(ws1.server.pid).toFixed(0)} MB`,
        ],
        ['page of 100 agents, p50 and p99', `${milliseconds(first.p50)}, ${milliseconds(first.p99)}`],
        [
          'the same with a filter that none passes',
          `${milliseconds(filtered.p50)}, ${milliseconds(filtered.p99)}`,
        ],
        ['processor of the server at rest, of a core', share(cpuOf(ws1.server.pid) - before)],
        ['processor of NATS meanwhile', share(cpuOf(pid) - engineBefore)],
        ['all records written, by one connection', `${(written / 1000).toFixed(1)} s`],
      ],
    ),
  );
  await connection.close();
}

const hostRecord = (host) => ({
  version: 1,
  host,
  host_id: host,
  address: `${host}.example.com (pid 1, port 9889)`,
  release: '0.2.0',
  joined_at_utc: '2026-03-13T00:00:00+00:00',
  started_at_utc: '2026-03-13T00:00:00+00:00',
  beat_seconds: 25,
  left: false,
});

const agentCopy = (host, tracked_agent_id) => ({
  version: 1,
  host,
  tracked_agent_id,
  agent_name: `HOUMAO-${host}-agent-${tracked_agent_id.split('-').at(-1)}`,
  agent_id: '9f2c1d7e',
  tool: 'claude',
  transport: 'headless',
  state: 'ready',
  detail: null,
});

const json = async ({ url }, path) => (await fetch(`${url}${path}`)).json();
const hostsOf = async ({ server }) => (await json(server, '/houmao/fleet/hosts')).hosts;

async function until(isSo) {
  while (!(await isSo())) await sleep(5);
}
