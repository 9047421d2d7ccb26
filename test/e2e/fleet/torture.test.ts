// Hosts, gateways and NATS that are killed under load, again and again; `npm run torture -- --fleet` does it more often.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fleetEngine, type TestEngine } from '../../support/fleet/engine.js';
import { type FleetHost, fleetHosts, inFleet, knows } from '../../support/fleet/hosts.js';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { whenOver } from '../../support/temporary-folder.js';
import { seededRandom } from '../../torture/random.mjs';
import { takenPrompts } from '../recovery/evidence.js';
import { type RequestEnd, type SeenItem, type SentPrompt, saysTaken, violations } from './torture-check.js';

const rounds = Number(process.env.HOUMAO_FLEET_ROUNDS ?? '4');
const seed = Number(process.env.HOUMAO_FLEET_SEED ?? '34614');
const random = seededRandom(seed);

interface Stage {
  readonly engine: TestEngine;
  readonly hosts: readonly FleetHost[];
  /** The gateway of each host now. */
  readonly gateways: Map<string, GatewayProcess>;
}

const agentAt = ({ name }: FleetHost): string => `alpha@${name}`;
const pathTo = (agent: string): string => `/houmao/agents/${encodeURIComponent(agent)}/gateway/requests`;

const gatewayKilled = 'a gateway is killed';
const faults: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  'the NATS server is killed': async ({ engine }) => {
    await engine.kill();
    await sleep(random.between(0, 1500));
    await engine.start();
  },
  'the NATS server hangs': async ({ engine }) => {
    process.kill(engine.pid, 'SIGSTOP');
    await sleep(random.between(500, 3000));
    process.kill(engine.pid, 'SIGCONT');
  },
  'a server is killed': async ({ hosts }) => {
    const host = random.pick(hosts) as FleetHost;
    await host.away('SIGKILL');
    await sleep(random.between(0, 1500));
    await host.back();
  },
  [gatewayKilled]: async ({ hosts, gateways }) => {
    const host = random.pick(hosts) as FleetHost;
    await gateways.get(host.name)?.kill();
    const gateway = await startGateway(host.session);
    whenOver(async () => void (await gateway.stop()));
    gateways.set(host.name, gateway);
  },
};

/** Gives a prompt until the fleet has it: each repeat has the same key. @returns the id of its command. */
async function give(sender: FleetHost, agent: string, prompt: string): Promise<string> {
  for (;;) {
    const body = { kind: 'submit_prompt', payload: { prompt } };
    const answer = await Promise.resolve()
      .then(() => sender.ask('POST', pathTo(agent), body, { 'Idempotency-Key': prompt }))
      .catch(() => null);
    if (answer?.status === 202) return answer.body.command.command_id;
    if (answer !== null && answer.status !== 503)
      throw new Error(`${prompt}: ${JSON.stringify(answer.body)}`);
    await sleep(50);
  }
}

/** Gives some prompts, one after the other, some of them twice at the same time. */
async function load(sender: FleetHost, others: readonly FleetHost[], round: number): Promise<SentPrompt[]> {
  const sent: SentPrompt[] = [];
  for (let number = 0; number < 3; number += 1) {
    const agent = agentAt(random.pick(others) as FleetHost);
    const prompt = `${round}-${sender.name}-${number}`;
    const times = random.chance(0.3) ? [1, 2] : [1];
    const [commandId = '', again = commandId] = await Promise.all(
      times.map(() => give(sender, agent, prompt)),
    );
    expect(again).toBe(commandId);
    sent.push({ commandId, sender: sender.name, agent, prompt });
    await sleep(random.between(0, 300));
  }
  return sent;
}

/** Waits until a request has ended. */
async function endOf({ ask }: FleetHost, { commandId, agent }: SentPrompt): Promise<RequestEnd> {
  for (;;) {
    const { status, body } = await ask('GET', `${pathTo(agent)}/${commandId}?wait_seconds=20`);
    if (status === 200 && !['accepted', 'running'].includes(body.state))
      return { state: body.state, delivery: body.turn?.delivery.state ?? null };
    if (status !== 200) await sleep(200);
  }
}

async function eventsOf({ ask }: FleetHost): Promise<SeenItem[]> {
  const items: SeenItem[] = [];
  for (let after = '0'; ; ) {
    const { body } = await ask('GET', `/houmao/fleet/events?after=${after}&limit=200`);
    if (body.events.length === 0) return items;
    for (const { id, host, tracked_agent_id, event, gap } of body.events)
      items.push({ id, host, agent: tracked_agent_id, seq: event?.seq ?? null, isGap: gap !== null });
    after = body.next_after;
  }
}

test('each prompt runs once and in order, and no event is lost or comes twice without a word', {
  timeout: 240_000 + rounds * 30_000,
}, async ({ annotate }) => {
  const names = ['ws1', 'ws2', 'ws3'];
  const engine = fleetEngine(...names);
  await engine.start();
  const start = fleetHosts(engine);
  const hosts: FleetHost[] = [];
  for (const name of names) hosts.push(await start(name));
  for (const host of hosts) await knows(host, ...names);
  const stage: Stage = {
    engine,
    hosts,
    gateways: new Map(hosts.map(({ name, gateway }) => [name, gateway])),
  };
  const sent: SentPrompt[] = [];
  const ends = new Map<string, RequestEnd>();
  const counts = new Map<string, number>();
  for (let round = 0; round < rounds; round += 1) {
    const name = random.pick(Object.keys(faults)) as string;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    const loads = hosts.map((host) =>
      load(
        host,
        hosts.filter((one) => one !== host),
        round,
      ),
    );
    await sleep(random.between(0, 800));
    await faults[name]?.(stage);
    sent.push(...(await Promise.all(loads)).flat());
    for (const host of hosts) await inFleet(host);
    if (round % 10 === 9 || round === rounds - 1)
      for (const one of sent.filter(({ commandId }) => !ends.has(commandId)))
        ends.set(one.commandId, await endOf(hosts[0] as FleetHost, one));
    if (rounds > 4) console.log(`round ${round + 1} of ${rounds}: ${name}; ${sent.length} prompts so far`);
  }
  const taken = new Map(
    hosts.map((host) => [agentAt(host), takenPrompts(host.session.ledger).map(({ prompt = '' }) => prompt)]),
  );
  const items = await eventsOf(hosts[0] as FleetHost);
  const notRun = [...ends.values()].filter((end) => !saysTaken(end)).length;
  const gaps = items.filter(({ isGap }) => isGap).length;
  await annotate(
    `seed ${seed}: ${rounds} rounds (${[...counts].map(([name, count]) => `${name}: ${count}`).join(', ')}), ${sent.length} prompts, ${notRun} ended by a kill of their gateway, ${items.length} events, ${gaps} gaps`,
  );
  expect(violations(sent, taken, ends, items)).toEqual([]);
  // A kill of a gateway takes the prompt with it that is being handed over, one at most.
  expect(notRun).toBeLessThanOrEqual(counts.get(gatewayKilled) ?? 0);
});

test('the check sees a prompt that is lost, runs twice, is out of order or was never given, and events that do not follow', () => {
  const one = { commandId: 'c1', sender: 'ws1', agent: 'alpha@ws2', prompt: 'one' };
  const two = { ...one, commandId: 'c2', prompt: 'two' };
  const done = { state: 'completed', delivery: 'confirmed' };
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
});
