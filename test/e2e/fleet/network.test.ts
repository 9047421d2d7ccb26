// Three hosts and a cluster of three NATS servers, each with a network of its own, of which parts are lost.
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { streams } from '../../../src/fleet/engine/layout.js';
import { EventReader } from '../../../src/fleet/events/event-reader.js';
import { systemClock } from '../../../src/foundation/clock.js';
import { clusterOn, hasQuorum } from '../../support/fleet/cluster.js';
import { type FleetHost, fleetHosts, inFleet, knows, waitFor } from '../../support/fleet/hosts.js';
import { type Machine, testNetwork } from '../../support/fleet/network.js';
import { whenOver } from '../../support/temporary-folder.js';
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

test('a NATS server that is cut off, and behind the others, has no reader begin again', slow, async () => {
  const [ws1] = hosts as [FleetHost];
  const [first] = nodes as [Machine];
  const options = { user: 'operator', pass: 'of-the-tests', ignoreClusterUpdates: true };
  const connection = await connect({ servers: [engine.nodes[0]?.near ?? ''], ...options });
  whenOver(() => connection.close());
  const manager = await jetstreamManager(connection);
  first.cut();
  await arrives('behind-its-back');
  const after: string = (await ws1.ask('GET', '/houmao/fleet/events?after=latest')).body.next_after;
  // Until it has given up its leader it does not answer, and then with what it has itself.
  const seen = () =>
    manager.streams.info(streams.events).then(
      ({ cluster, state }) => (cluster?.leader === undefined ? state.last_seq : null),
      () => null,
    );
  await expect.poll(seen, { timeout: 60_000 }).toBeLessThan(Number(after.split('-')[1]));
  const { signal } = new AbortController();
  const session = { manager, ended: signal };
  const wanted = { after, limit: 10, waitSeconds: 0, signal };
  expect(await new EventReader(systemClock).page(session, wanted)).toEqual({ events: [], next_after: after });
  first.mend();
  await hasQuorum(engine);
});

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
