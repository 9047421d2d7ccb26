// Hosts, gateways and NATS that are killed, cut off and emptied under load, again and again; `npm run torture -- --fleet` does it more
// often.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { clusterOn, fleetCluster } from '../../support/fleet/cluster.js';
import { type Engine, fleetEngine } from '../../support/fleet/engine.js';
import { type FleetHost, fleetHosts, inFleet, knows, listsAgents } from '../../support/fleet/hosts.js';
import { type Machine, testNetwork } from '../../support/fleet/network.js';
import { type Cut, openWay } from '../../support/fleet/ways.js';
import { seededRandom } from '../../torture/random.mjs';
import { takenPrompts } from '../recovery/evidence.js';
import {
  missingAtEnd,
  type RequestEnd,
  type SeenItem,
  type SentPrompt,
  saysTaken,
  violations,
} from './torture-check.js';
import { awayHost, faults, gatewayKilled, pickFault, type Stage } from './torture-faults.js';
import { agentAt, endOf, Follower, lastOwn, load, notDelivered } from './torture-load.js';
import { brokenMail, mailIsThere, type SentMail, sendMail } from './torture-mail.js';

const setting = (name: string, usual: number): number => Number(process.env[name] ?? usual);
const rounds = setting('HOUMAO_FLEET_ROUNDS', 4);
const seed = setting('HOUMAO_FLEET_SEED', 34614);
const nodes = setting('HOUMAO_FLEET_NODES', 1);
const isNetworked = process.env.HOUMAO_FLEET_NETWORK === '1';
const awayMilliseconds = setting('HOUMAO_FLEET_AWAY_MINUTES', 0) * 60_000;
const random = seededRandom(seed);
const names = ['ws1', 'ws2', 'ws3'];
/** After so many rounds all prompts are followed to their ends. */
const settlesAfter = 10;

/** NATS, the hosts, and what can be cut of each: on this machine, or each on a machine of its own in a test network. */
async function startAll(): Promise<Pick<Stage, 'engine' | 'hosts' | 'ways' | 'network'>> {
  const net = isNetworked ? await testNetwork() : null;
  const machines: Machine[] = [];
  while (net && machines.length < nodes) machines.push(await net.machine());
  const engine = await startEngine(machines);
  const start = fleetHosts(engine);
  const hosts: FleetHost[] = [];
  const ways = new Map<string, Cut>();
  const urls = engine.nodes.map(({ url }) => url);
  for (const name of names) {
    const machine = await net?.machine();
    const way = machine ? { ...machine, urls } : await openWay(urls);
    ways.set(name, way);
    hosts.push(
      await start(name, { urls: way.urls, hasOwnClock: true, mail: true, ...(machine && { machine }) }),
    );
  }
  return { engine, hosts, ways, network: net && { net, nodes: machines } };
}

async function startEngine(machines: readonly Machine[]): Promise<Engine> {
  if (machines.length > 0) return clusterOn(machines, ...names);
  if (nodes === 3) return fleetCluster(...names);
  const engine = fleetEngine(...names);
  await engine.start();
  return engine;
}

test('each prompt runs once and in order, and no event is lost or comes twice without a word', {
  timeout: 300_000 + rounds * 30_000 + awayMilliseconds,
}, async ({ annotate }) => {
  const { engine, hosts, ways, network } = await startAll();
  const gateways = new Map(hosts.map(({ name, gateway }) => [name, gateway]));
  const sent: SentPrompt[] = [];
  const mails: SentMail[] = [];
  const ends = new Map<string, RequestEnd>();
  const counts = new Map<string, number>();
  const settle = async (): Promise<void> => {
    for (const one of sent.filter(({ commandId }) => !ends.has(commandId)))
      ends.set(one.commandId, await endOf(hosts[0] as FleetHost, one));
  };
  const whole = async (): Promise<void> => {
    for (const host of hosts) {
      await inFleet(host);
      await knows(host, ...names);
      await listsAgents(host, ...hosts.map(agentAt));
    }
  };
  await whole();
  const follower = new Follower(random, hosts);
  const over = new AbortController();
  const following = follower.run(over.signal);
  const awayRound = Math.floor(rounds / 2);
  const kept = { random, engine, hosts, ways, network, gateways, sent };
  const stageOf = (round: number): Stage => ({ ...kept, round });
  for (let round = 0; round < rounds; round += 1) {
    const name = pickFault(random, nodes, isNetworked);
    const fault = faults[name];
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (fault?.atRest) {
      await settle();
      await fault.act(stageOf(round));
    }
    const others = (host: FleetHost): FleetHost[] => hosts.filter((one) => one !== host);
    const loads = hosts.map((host) => load(random, host, others(host), round));
    const letters = hosts.map((host) => sendMail(random, host, others(host), round));
    await pause(random.between(0, 500));
    const own = fault?.atRest ? [] : await fault?.act(stageOf(round));
    mails.push(...(await Promise.all(letters)));
    sent.push(...(await Promise.all(loads)).flat(), ...(own ?? []));
    await whole();
    if (round === awayRound) sent.push(...(await awayHost(stageOf(round), awayMilliseconds)));
    if (round % settlesAfter === settlesAfter - 1 || round === rounds - 1) await settle();
    if (rounds > 4) console.log(`round ${round + 1} of ${rounds}: ${name}; ${sent.length} prompts so far`);
  }
  const own = async (): Promise<Map<string, number>> =>
    new Map((await Promise.all(hosts.map(lastOwn))).flatMap((last) => [...last]));
  over.abort();
  await following;
  const missing = async (): Promise<string[]> => {
    await follower.drain();
    return missingAtEnd(follower.items, await own());
  };
  await expect.poll(missing).toEqual([]);
  const taken = new Map(
    hosts.map((host) => [agentAt(host), takenPrompts(host.session.ledger).map(({ prompt = '' }) => prompt)]),
  );
  await mailIsThere(hosts);
  const { items } = follower;
  const notRun = [...ends.values()].filter((end) => !saysTaken(end) && end.code !== 'lapsed').length;
  const lapsed = [...ends.values()].filter(({ code }) => code === 'lapsed').length;
  const gaps = items.filter(({ isGap }) => isGap).length;
  const done = [...counts].map(([name, count]) => `${name}: ${count}`).join(', ');
  const summary = `seed ${seed}, NATS servers: ${nodes}${isNetworked ? ' in a network' : ''}, ${rounds} rounds (${done}), ${mails.length} messages, ${sent.length} prompts, ${lapsed} lapsed as they should, ${notRun} ended by a kill of their gateway, ${items.length} events, ${gaps} gaps`;
  await annotate(summary);
  const broken = [
    ...violations(sent, taken, ends, items),
    ...(await notDelivered(hosts[0] as FleetHost, ends)),
    ...(await brokenMail(hosts, mails)),
  ];
  if (rounds > 4) console.log(`${summary}; broken: ${broken.length}`);
  expect(broken).toEqual([]);
  // A kill of a gateway takes the prompt with it that is being handed over, one at most.
  expect(notRun).toBeLessThanOrEqual(counts.get(gatewayKilled) ?? 0);
});

test('the check sees a prompt that is lost, runs twice, is out of order or was never given, and events that do not follow', () => {
  const one = { commandId: 'c1', sender: 'ws1', agent: 'alpha@ws2', prompt: 'one' };
  const two = { ...one, commandId: 'c2', prompt: 'two' };
  const done = { state: 'completed', delivery: 'confirmed', code: null };
  const ends = new Map([
    ['c1', done],
    ['c2', done],
  ]);
  const check = (...prompts: string[]) =>
    violations([one, two], new Map([['alpha@ws2', prompts]]), ends, []).length;
  expect([check('one', 'two'), check('one'), check('one', 'two', 'two'), check('two', 'one')]).toEqual([
    0, 1, 1, 1,
  ]);
  expect(check('one', 'two', 'three')).toBe(1);
  expect(violations([one], new Map([['alpha@ws2', ['one']]]), new Map(), [])).toHaveLength(1);
  const item = (id: string, seq: number | null) => ({
    id,
    host: 'ws2',
    agent: 'a',
    seq,
    isGap: seq === null,
  });
  const seen = (...items: SeenItem[]) => violations([], new Map(), new Map(), items).length;
  expect([
    seen(item('1', 5), item('2', 6)),
    seen(item('1', 5), item('2', 7)),
    seen(item('1', 5), item('1', 6)),
  ]).toEqual([0, 1, 1]);
  expect(seen(item('1', 5), item('2', null), item('3', 9))).toBe(0);
  const own = new Map([['a@ws2', 6]]);
  expect([missingAtEnd([item('1', 6)], own), missingAtEnd([item('1', 5)], own)]).toEqual([
    [],
    [expect.stringContaining('6')],
  ]);
  const late = { ...one, lapses: true };
  const lapsed = new Map([['c1', { state: 'failed', delivery: null, code: 'lapsed' }]]);
  const lapses = (prompts: string[], ends: ReadonlyMap<string, RequestEnd>) =>
    violations([late], new Map([['alpha@ws2', prompts]]), ends, []).length;
  const refused = new Map([['c1', { state: 'failed', delivery: null, code: 'not_admitted' }]]);
  expect(violations([one], new Map(), refused, [])).toHaveLength(1);
  expect([lapses([], lapsed), lapses(['one'], lapsed), lapses(['one'], ends)]).toEqual([0, 1, 1]);
});
