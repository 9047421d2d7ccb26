// Three hosts and a cluster of three NATS servers, each with a network of its own, of which parts are lost.
import { expect, test } from 'vitest';
import { clusterOn, hasQuorum } from '../../support/fleet/cluster.js';
import { type FleetHost, fleetHosts, inFleet, knows, waitFor } from '../../support/fleet/hosts.js';
import { type Machine, testNetwork } from '../../support/fleet/network.js';
import { takenPrompts } from '../recovery/evidence.js';
import { agentAt, give } from './torture-load.js';

const names = ['ws1', 'ws2', 'ws3'];
const slow = { timeout: 300_000 };
const net = await testNetwork();
const nodes: Machine[] = [];
for (const _ of names) nodes.push(await net.machine());
const engine = await clusterOn(nodes, ...names);
const start = fleetHosts(engine);
const machines: Machine[] = [];
const hosts: FleetHost[] = [];
for (const name of names) {
  const machine = await net.machine();
  machines.push(machine);
  hosts.push(await start(name, { machine }));
}

const promptsOf = ({ session }: FleetHost) => takenPrompts(session.ledger).map(({ prompt }) => prompt);

/** Gives a prompt to the agent of the second host by the first one, and waits until the agent has it. */
async function arrives(prompt: string): Promise<void> {
  const [ws1, ws2] = hosts as [FleetHost, FleetHost];
  const id = await give(ws1, agentAt(ws2), prompt);
  expect(await waitFor(ws1, id)).toMatchObject({ state: 'delivered' });
}

test(
  'a NATS server that is lost to all others, and two that lose each other, keep no prompt from arriving once',
  slow,
  async () => {
    const [, ws2] = hosts as [FleetHost, FleetHost];
    const [first, second, third] = nodes as [Machine, Machine, Machine];
    first.cut();
    await arrives('without-the-first');
    first.mend();
    await hasQuorum(engine);
    net.part(second, third);
    await arrives('between-the-two');
    net.rejoin(second, third);
    await hasQuorum(engine);
    expect(promptsOf(ws2)).toEqual(['without-the-first', 'between-the-two']);
  },
);

test(
  'a host that is cut off says so and works alone, the others see it go, and what waited arrives',
  slow,
  async () => {
    const [ws1, ws2, ws3] = hosts as [FleetHost, FleetHost, FleetHost];
    await knows(ws1, ...names);
    machines[1]?.cut();
    await knows(ws1, 'ws1', 'ws3');
    await expect.poll(async () => (await ws2.ask('GET', '/houmao/fleet')).body.state).toBe('offline');
    const alone = { request_kind: 'submit_prompt', prompt: 'alone' };
    expect((await ws2.ask('POST', '/houmao/agents/alpha/requests', alone)).status).toBe(200);
    const ids = [await give(ws1, agentAt(ws2), 'of-ws1'), await give(ws3, agentAt(ws2), 'of-ws3')];
    machines[1]?.mend();
    await inFleet(ws2);
    for (const id of ids) expect(await waitFor(ws1, id)).toMatchObject({ state: 'delivered' });
    expect(promptsOf(ws2).slice(-3)).toEqual(['alone', 'of-ws1', 'of-ws3']);
  },
);
