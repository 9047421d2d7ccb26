// Three NATS servers that are one, with the configuration that docs/fleet.md gives.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { hostsFileName } from '../../../src/fleet/engine/credentials.js';
import { freePort } from '../free-port.js';
import { temporaryFolder } from '../temporary-folder.js';
import {
  type Engine,
  type EngineNode,
  engineKeys,
  engineNode,
  type NodeParts,
  type NodeStore,
} from './engine.js';
import type { Machine } from './network.js';

const numbers = [1, 2, 3];

/** The block of the document, for one of three servers. @param addresses by which they reach each other, with ports */
export function clusterBlock(number: number, addresses: readonly string[]): string {
  const document = readFileSync(new URL('../../../docs/fleet.md', import.meta.url), 'utf8');
  const [, block = ''] = /^```\n(server_name: nats1\n.+?)^```$/ms.exec(document) ?? [];
  return addresses.reduce(
    (text, address, at) => text.replaceAll(`10.0.0.${at + 1}:6222`, address),
    block.replace('nats1', `nats${number}`).replace('10.0.0.1:6222', addresses[number - 1] ?? ''),
  );
}

/** Starts three NATS servers as a cluster, each stream on all of them. For one test, or at the top of a file for all of its tests. */
export const fleetCluster = (...hosts: string[]): Promise<Engine> => startCluster(hosts, []);

/** Does the same with a machine of a test network for each of the three. */
export const clusterOn = (machines: readonly Machine[], ...hosts: string[]): Promise<Engine> =>
  startCluster(
    hosts,
    machines.map((machine) => ({ machine })),
  );

/** Does the same with the streams of the first server in a place of their own. */
export const clusterWithStore = (store: NodeStore, ...hosts: string[]): Promise<Engine> =>
  startCluster(hosts, [{ store }]);

async function startCluster(
  hosts: readonly string[],
  parts: readonly Pick<NodeParts, 'machine' | 'store'>[],
): Promise<Engine> {
  const folder = temporaryFolder();
  const addresses = parts.flatMap(({ machine }) => (machine ? [`${machine.address}:6222`] : []));
  while (addresses.length < numbers.length) addresses.push(`127.0.0.1:${await freePort()}`);
  const nodes: EngineNode[] = numbers.map((number) => {
    const own = join(folder, `nats${number}`);
    mkdirSync(own);
    return engineNode({
      folder: own,
      hostsFile: join('..', hostsFileName),
      more: clusterBlock(number, addresses),
      ...parts[number - 1],
    });
  });
  const keys = engineKeys(folder, hosts, () => nodes.map(({ near }) => near));
  await Promise.all(nodes.map((node) => node.start()));
  const engine = { ...keys, nodes, replicas: nodes.length };
  await hasQuorum(engine);
  return engine;
}

/** Waits until the servers of a cluster have agreed on one that leads, and JetStream answers. */
export async function hasQuorum(engine: Engine): Promise<void> {
  const connection = await engine.operate();
  for (;;) {
    const answered = await jetstreamManager(connection)
      .then((manager) => manager.streams.names().next())
      .catch(() => null);
    if (answered !== null) break;
  }
  await connection.close();
}
