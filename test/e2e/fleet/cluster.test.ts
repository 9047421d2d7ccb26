// A fleet over three NATS servers, which are one: with two of them it goes on, with one of them each host goes on alone.
import { jetstreamManager } from '@nats-io/jetstream';
import { expect, test } from 'vitest';
import { buckets, streams } from '../../../src/fleet/engine/layout.js';
import { fleetCluster, hasQuorum } from '../../support/fleet/cluster.js';
import {
  alphaAndBeta,
  type FleetHost,
  fleetHosts,
  giveCommand,
  inFleet,
  listsAgents,
  waitFor,
} from '../../support/fleet/hosts.js';
import { takenPrompts } from '../recovery/evidence.js';

const slow = { timeout: 300_000 };
const pathTo = (reference: string) => `/houmao/agents/${encodeURIComponent(reference)}`;
const promptsOf = ({ session }: FleetHost) => takenPrompts(session.ledger).map(({ prompt }) => prompt);

async function twoHosts() {
  const engine = await fleetCluster('ws1', 'ws2');
  return { engine, ...(await alphaAndBeta(fleetHosts(engine))) };
}

test(
  'streams and buckets are on three NATS servers; with any one of them killed, prompts arrive once and events go on',
  slow,
  async () => {
    const { engine, ws1, ws2 } = await twoHosts();
    const manager = await jetstreamManager(await engine.connect('ws1'));
    for (const name of [...Object.values(streams), ...Object.values(buckets).map((bucket) => `KV_${bucket}`)])
      expect([name, (await manager.streams.info(name)).config.num_replicas]).toEqual([name, 3]);
    const prompts: string[] = [];
    for (const [number, node] of engine.nodes.entries()) {
      await node.kill();
      const prompt = `without-server-${number + 1}`;
      prompts.push(prompt);
      const id = await given(ws1, 'beta@ws2', prompt);
      expect(await waitFor(ws1, id)).toMatchObject({ state: 'delivered' });
      await inFleet(ws1);
      const seen = async () => {
        const { body } = await ws1.ask('GET', '/houmao/fleet/events?after=0&limit=200');
        const events: { event: { kind: string; data: { request_id?: string } } }[] = body.events ?? [];
        return events.filter(({ event }) => event.kind === 'turn_ended').length;
      };
      await expect.poll(seen).toBe(prompts.length);
      await node.start();
      await hasQuorum(engine);
    }
    expect(promptsOf(ws2)).toEqual(prompts);
  },
);

/** Gives a prompt until the fleet has it, as a caller does who has a key. */
async function given(host: FleetHost, reference: string, prompt: string): Promise<string> {
  const body = { kind: 'submit_prompt', payload: { prompt } };
  const path = `${pathTo(reference)}/gateway/requests`;
  for (;;) {
    const answer = await host.ask('POST', path, body, { 'Idempotency-Key': prompt });
    if (answer.status === 202) return answer.body.command.command_id;
    expect(answer.headers.get('x-houmao-error-code')).toBe('fleet_offline');
  }
}

test(
  'with two of three NATS servers killed a host says that it is offline and works on alone; it comes back with the second',
  slow,
  async () => {
    const { engine, ws1, ws2 } = await twoHosts();
    await ws2.away();
    const waiting = await giveCommand(ws1, 'beta@ws2', 'waits');
    const [first, second] = engine.nodes;
    await first?.kill();
    await second?.kill();
    const status = async () => (await ws1.ask('GET', '/houmao/fleet')).body;
    await expect.poll(async () => (await status()).state, { timeout: 60_000 }).toBe('offline');
    console.log((await status()).detail);
    const queued = { kind: 'submit_prompt', payload: { prompt: 'nobody' } };
    const refused = await ws1.ask('POST', `${pathTo('beta@ws2')}/gateway/requests`, queued);
    expect([refused.status, refused.headers.get('x-houmao-error-code')]).toEqual([503, 'fleet_offline']);
    const alone = { request_kind: 'submit_prompt', prompt: 'alone' };
    expect((await ws1.ask('POST', `${pathTo('alpha')}/requests`, alone)).status).toBe(200);
    await expect.poll(() => promptsOf(ws1)).toEqual(['alone']);
    await first?.start();
    await ws2.back();
    expect(await waitFor(ws1, waiting)).toMatchObject({ state: 'delivered' });
    await inFleet(ws1);
    await listsAgents(ws1, 'alpha@ws1', 'beta@ws2');
    expect(promptsOf(ws2)).toEqual(['waits']);
  },
);
