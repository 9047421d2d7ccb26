// The disk of a NATS server is full, by a real disk.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hostsFileName } from '../../../src/fleet/engine/credentials.js';
import { clusterWithStore } from '../../support/fleet/cluster.js';
import { engineKeys, engineNode } from '../../support/fleet/engine.js';
import {
  alphaAndBeta,
  eventKindsOf,
  type FleetHost,
  fleetHosts,
  giveCommand,
  inFleet,
  listsAgents,
  waitFor,
} from '../../support/fleet/hosts.js';
import { temporaryFolder, whenOver } from '../../support/temporary-folder.js';
import { smallDisk } from '../machine/own-disk.js';
import { takenPrompts } from '../recovery/evidence.js';

const promptsOf = ({ session }: FleetHost) => takenPrompts(session.ledger).map(({ prompt }) => prompt);
const pathTo = (reference: string) => `/houmao/agents/${encodeURIComponent(reference)}`;

const slow = { timeout: 300_000 };

/** A disk for the streams of a NATS server. */
async function streamDisk() {
  const folder = join(temporaryFolder(), 'store');
  mkdirSync(folder);
  const { through, fill, makeRoom, remove } = await smallDisk(folder, 48);
  whenOver(remove);
  return { store: { folder, through }, fill, makeRoom };
}

test(
  'a single server confirms nothing more: hosts go on alone and say what to do, until it has room and was started again',
  slow,
  async () => {
    const { store, ...disk } = await streamDisk();
    const folder = temporaryFolder();
    const node = engineNode({ folder, hostsFile: hostsFileName, store });
    const keys = engineKeys(folder, ['ws1', 'ws2'], () => [node.url]);
    await node.start();
    const { ws1, ws2 } = await alphaAndBeta(fleetHosts({ ...keys, nodes: [node], replicas: 1 }));
    await listsAgents(ws1, 'alpha@ws1', 'beta@ws2');
    await ws2.away();
    const waiting = await giveCommand(ws1, 'beta@ws2', 'before');
    disk.fill();

    // More than what is left of the last block of the disk that the stream has.
    const prompt = `at the full disk ${'.'.repeat(50_000)}`;
    const path = `${pathTo('beta@ws2')}/gateway/requests`;
    const key = { 'Idempotency-Key': 'full' };
    const unknown = await ws1.ask('POST', path, { kind: 'submit_prompt', payload: { prompt } }, key);
    expect([unknown.status, unknown.headers.get('x-houmao-done')]).toEqual([503, 'unknown']);
    const [id] = /fcmd-[0-9a-f]{32}/.exec(unknown.body.detail) ?? [];

    const status = async () => (await ws1.ask('GET', '/houmao/fleet')).body;
    await expect
      .poll(status, { timeout: 120_000 })
      .toMatchObject({ state: 'offline', detail: expect.stringMatching(/make room and start it again/) });
    const alone = { request_kind: 'submit_prompt', prompt: 'alone' };
    expect((await ws1.ask('POST', `${pathTo('alpha')}/requests`, alone)).status).toBe(200);

    disk.makeRoom();
    await node.stop();
    await node.start();
    await inFleet(ws1);
    expect((await ws1.ask('GET', `/houmao/fleet/commands/${id}`)).status).toBe(404);
    expect(await giveCommand(ws1, 'beta@ws2', prompt, key)).toBe(id);
    await ws2.back();
    for (const command of [waiting, id ?? ''])
      expect(await waitFor(ws1, command)).toMatchObject({ state: 'delivered' });
    expect(promptsOf(ws2)).toEqual(['before', prompt]);
    await expect.poll(() => eventKindsOf('ws1', ws2)).toContain('turn_ended');
  },
);

test(
  'one of three servers leaves all to the others, and is one of them again once it has room and was started again',
  slow,
  async () => {
    const { store, ...disk } = await streamDisk();
    const engine = await clusterWithStore(store, 'ws1', 'ws2');
    const [full, ...others] = engine.nodes;
    if (!full) throw new Error('a cluster has servers');
    const start = fleetHosts(engine);
    // This host has the full one alone.
    const ws1 = await start('ws1', { urls: [full.url] });
    const ws2 = await start('ws2', { agent: 'beta', urls: others.map(({ url }) => url) });
    await listsAgents(ws2, 'alpha@ws1', 'beta@ws2');
    const given: string[] = [];
    const give = async (prompt: string) => {
      given.push(prompt);
      const body = { kind: 'submit_prompt', payload: { prompt } };
      const key = { 'Idempotency-Key': String(given.length) };
      const once = () => ws2.ask('POST', `${pathTo('alpha@ws1')}/gateway/requests`, body, key);
      await expect.poll(async () => (await once()).status, { timeout: 60_000 }).toBe(202);
    };
    const log = () => readFileSync(join(full.folder, 'nats-server.log'), 'utf8');
    disk.fill();
    while (!log().includes('JetStream out of File resources'))
      await give(`${given.length} ${'.'.repeat(50_000)}`);
    await give('while it is full');
    await expect.poll(() => promptsOf(ws1), { timeout: 60_000 }).toEqual(given);

    disk.makeRoom();
    await full.stop();
    await full.start();
    await inFleet(ws1);
    // Of the two that are left it is one.
    await others[0]?.kill();
    await give('with it');
    await expect.poll(() => promptsOf(ws1), { timeout: 120_000 }).toEqual(given);
  },
);
