// The faults of the torture of a fleet.
import { setTimeout as sleep } from 'node:timers/promises';
import { JetStreamApiCodes, JetStreamApiError, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { buckets, commandSubject, filesBucket, streams } from '../../../src/fleet/engine/layout.js';
import { hasQuorum } from '../../support/fleet/cluster.js';
import type { Engine, EngineNode } from '../../support/fleet/engine.js';
import type { FleetHost } from '../../support/fleet/hosts.js';
import type { Machine, TestNetwork } from '../../support/fleet/network.js';
import type { Cut } from '../../support/fleet/ways.js';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { whenOver } from '../../support/temporary-folder.js';
import type { SentPrompt } from './torture-check.js';
import { agentAt, bodyOf, give, type Random } from './torture-load.js';

export interface Stage {
  readonly random: Random;
  readonly engine: Engine;
  readonly hosts: readonly FleetHost[];
  /** The way of each host to NATS. */
  readonly ways: ReadonlyMap<string, Cut>;
  /** The network of hosts and NATS servers, and the machines of the latter; null where all are on this machine. */
  readonly network: { readonly net: TestNetwork; readonly nodes: readonly Machine[] } | null;
  /** The gateway of each host now. */
  readonly gateways: Map<string, GatewayProcess>;
  readonly round: number;
  /** The prompts that the fleet accepted in the rounds before. */
  readonly sent: readonly SentPrompt[];
}

export interface Fault {
  /** How often it is chosen, beside the others. */
  readonly weight: number;
  /** Whether it comes while nothing is on its way: it loses what nobody else has. */
  readonly atRest?: boolean;
  /** How many NATS servers it needs. */
  readonly nodes?: number;
  /** Whether it needs a network. */
  readonly inNetwork?: boolean;
  /** @returns prompts that it gave itself. */
  act(stage: Stage): Promise<readonly SentPrompt[]>;
}

const none: readonly SentPrompt[] = [];
const hour = 60 * 60_000;

/** Kills NATS servers, and starts them again a little later. */
async function killNodes({ engine, random }: Stage, nodes: readonly EngineNode[]): Promise<typeof none> {
  await Promise.all(nodes.map((node) => node.kill()));
  await sleep(random.between(0, 1500));
  await Promise.all(nodes.map((node) => node.start()));
  await hasQuorum(engine);
  return none;
}

/** Deletes a stream, or the stream of a bucket, as a person may who has all rights. */
async function deleteStream({ engine }: Stage, name: string): Promise<typeof none> {
  const connection = await engine.operate();
  const manager = await jetstreamManager(connection);
  await manager.streams.delete(name).catch((error: unknown) => {
    // It was deleted before, and no host has needed it since.
    if (!(error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound)) throw error;
  });
  await connection.close();
  return none;
}

/** Publishes commands again that are in the stream, or were there before, so that NATS cannot know them. */
async function repeatCommands({ engine, random, sent }: Stage): Promise<typeof none> {
  const connection = await engine.operate();
  for (const { commandId, agent, prompt } of sent.slice(-random.between(1, 6))) {
    const [agent_ref = '', host = ''] = agent.split('@');
    const accepted_at_utc = new Date().toISOString();
    const command = { version: 1, command_id: commandId, agent_ref, body: bodyOf(prompt), digest: 'again' };
    const message = JSON.stringify({ ...command, accepted_at_utc, deadline_at_utc: null });
    const msgID = `again-${commandId}-${random.between(0, 1_000_000)}`;
    await jetstream(connection).publish(commandSubject(host, agent_ref), message, { msgID, timeout: 20_000 });
  }
  await connection.close();
  return none;
}

/** Sets the clock of a host by an hour, and gives prompts to its agent whose deadlines are in half an hour and were half an hour ago. */
async function setClock({ hosts, random, round }: Stage): Promise<SentPrompt[]> {
  const host = random.pick(hosts) as FleetHost;
  host.setClock(random.pick([-hour, 0, hour]) ?? 0);
  const sender = random.pick(hosts.filter((one) => one !== host)) as FleetHost;
  const agent = agentAt(host);
  const given: SentPrompt[] = [];
  for (const [prompt, off, lapses] of [
    [`${round}-in-time`, hour / 2, false],
    [`${round}-late`, -hour / 2, true],
  ] as const) {
    const commandId = await give(sender, agent, prompt, new Date(Date.now() + off));
    given.push({ commandId, sender: `${sender.name} by a deadline`, agent, prompt, lapses });
  }
  return given;
}

/** Mostly short, and sometimes so long that both ends notice. */
const cutMilliseconds = (random: Random): number =>
  random.chance(0.15) ? random.between(12_000, 18_000) : random.between(200, 3000);

/** Cuts a NATS server from the other two and from all hosts, or two of them from each other alone. */
async function partNodes({ engine, network, random }: Stage, pair: boolean): Promise<typeof none> {
  if (network === null) throw new Error('this fault needs a network');
  const { net, nodes } = network;
  const one = random.pick(nodes) as Machine;
  const other = random.pick(nodes.filter((node) => node !== one)) as Machine;
  if (pair) net.part(one, other);
  else one.cut();
  await sleep(cutMilliseconds(random));
  if (pair) net.rejoin(one, other);
  else one.mend();
  await hasQuorum(engine);
  return none;
}

/** Cuts a host from NATS. */
async function cutOff({ hosts, ways, random }: Stage): Promise<typeof none> {
  const way = ways.get((random.pick(hosts) as FleetHost).name);
  way?.cut();
  await sleep(cutMilliseconds(random));
  way?.mend(random.pick(['late', 'broken']) ?? 'late');
  return none;
}

export const gatewayKilled = 'a gateway is killed';

const pickNodes = ({ engine, random }: Stage, count: number): EngineNode[] => {
  const first = random.between(0, engine.nodes.length - 1);
  return [...engine.nodes, ...engine.nodes].slice(first, first + count);
};

export const faults: Readonly<Record<string, Fault>> = {
  'a NATS server is killed': { weight: 4, act: (stage) => killNodes(stage, pickNodes(stage, 1)) },
  'two of three NATS servers are killed': {
    weight: 2,
    nodes: 3,
    act: (stage) => killNodes(stage, pickNodes(stage, 2)),
  },
  'a NATS server hangs': {
    weight: 3,
    act: async (stage) => {
      const [{ pid }] = pickNodes(stage, 1) as [EngineNode];
      process.kill(pid, 'SIGSTOP');
      await sleep(stage.random.between(500, 3000));
      process.kill(pid, 'SIGCONT');
      return none;
    },
  },
  'a NATS server is cut off': { weight: 3, inNetwork: true, act: (stage) => partNodes(stage, false) },
  'two NATS servers lose each other': { weight: 3, inNetwork: true, act: (stage) => partNodes(stage, true) },
  'a server is killed': {
    weight: 4,
    act: async ({ hosts, random }) => {
      const host = random.pick(hosts) as FleetHost;
      await host.away('SIGKILL');
      await sleep(random.between(0, 1500));
      await host.back();
      return none;
    },
  },
  [gatewayKilled]: {
    weight: 3,
    act: async ({ hosts, gateways, random }) => {
      const host = random.pick(hosts) as FleetHost;
      await gateways.get(host.name)?.kill();
      const gateway = await startGateway(host.session, { through: host.through });
      whenOver(async () => void (await gateway.stop()));
      gateways.set(host.name, gateway);
      return none;
    },
  },
  'a host is cut off': { weight: 4, act: cutOff },
  'commands come again': { weight: 3, act: repeatCommands },
  'the clock of a host is set': { weight: 3, act: setClock },
  'the events are deleted': { weight: 1, act: (stage) => deleteStream(stage, streams.events) },
  'the hosts are deleted': { weight: 1, act: (stage) => deleteStream(stage, `KV_${buckets.hosts}`) },
  'the agents are deleted': { weight: 1, act: (stage) => deleteStream(stage, `KV_${buckets.agents}`) },
  'the leases are deleted': { weight: 1, act: (stage) => deleteStream(stage, `KV_${buckets.leases}`) },
  'the mail is deleted': { weight: 1, act: (stage) => deleteStream(stage, streams.mail) },
  'the files of mail are deleted': { weight: 1, act: (stage) => deleteStream(stage, `OBJ_${filesBucket}`) },
  'the commands are deleted': {
    weight: 1,
    atRest: true,
    act: (stage) => deleteStream(stage, streams.commands),
  },
};

/** Chooses a fault of those that these NATS servers can have. @param hasNetwork whether they and the hosts are in one */
export function pickFault(random: Random, nodes: number, hasNetwork: boolean): string {
  const possible = Object.entries(faults).filter(
    ([, { nodes: needed = 1, inNetwork = false }]) => nodes >= needed && (hasNetwork || !inNetwork),
  );
  return random.pick(possible.flatMap(([name, { weight }]) => Array<string>(weight).fill(name))) ?? '';
}

const waitingCommands = 100;

/** Has a host be away while many commands wait for it. @param milliseconds how long, besides the time that giving them takes */
export async function awayHost({ hosts, random }: Stage, milliseconds: number): Promise<SentPrompt[]> {
  const host = random.pick(hosts) as FleetHost;
  const others = hosts.filter((one) => one !== host);
  await host.away(random.pick(['SIGTERM', 'SIGKILL'] as const) ?? 'SIGTERM');
  const sent: SentPrompt[] = [];
  const agent = agentAt(host);
  for (let number = 0; number < waitingCommands; number += 1) {
    const sender = random.pick(others) as FleetHost;
    const prompt = `away-${sender.name}-${number}`;
    const commandId = await give(sender, agent, prompt);
    // One lane for both: they were given one after the other.
    sent.push({ commandId, sender: 'both', agent, prompt });
  }
  await sleep(milliseconds);
  await host.back();
  return sent;
}
