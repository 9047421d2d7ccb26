// One agent, two hosts that have its session: a home folder that both mount, or a copy of it. Only one of them drives it.
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { expect, test } from 'vitest';
import { buckets } from '../../../src/fleet/engine/layout.js';
import { openBuckets } from '../../../src/fleet/engine/stores.js';
import type { KnownHost } from '../../../src/fleet/hosts/host-board.js';
import { HostLeases, leaseMilliseconds } from '../../../src/fleet/hosts/host-leases.js';
import { systemClock } from '../../../src/foundation/clock.js';
import { fleetEngine } from '../../support/fleet/engine.js';
import { fleetHosts, giveCommand, inFleet, knows, waitFor } from '../../support/fleet/hosts.js';
import { managedHost, startManagedServer } from '../../support/managed-server.js';
import { whenOver } from '../../support/temporary-folder.js';
import { takenPrompts } from '../recovery/evidence.js';

const slow = { timeout: 240_000 };

test(
  'a host with the session of another host’s agent gives it no prompts from anywhere, and says whose it is',
  slow,
  async () => {
    const engine = fleetEngine('ws1', 'ws2');
    await engine.start();
    const ws1 = await fleetHosts(engine)('ws1');
    const leaseOf = async () =>
      (await ws1.ask('GET', '/houmao/agents?scope=fleet')).body.agents.map(
        ({ place }: { place: { reference: string; detail: string | null } }) => [
          place.reference,
          place.detail,
        ],
      );
    await expect.poll(leaseOf).toEqual([['alpha@ws1', null]]);

    const { folder, ledger } = ws1.session;
    const key = ['--fleet-credentials', engine.credentials('ws2')];
    const flags = ['--fleet', engine.url, ...key, '--host-name', 'ws2', '--root', join(folder, 'ws2')];
    const ws2 = await startManagedServer(managedHost(folder), folder, { flags });
    whenOver(async () => void (await ws2.stop()));
    await inFleet(ws2);
    await knows(ws1, 'ws1', 'ws2');
    await expect.poll(leaseOf).toEqual([
      ['alpha@ws1', null],
      ['alpha@ws2', expect.stringContaining('host ws1')],
    ]);

    const prompt = { kind: 'submit_prompt', payload: { prompt: 'nobody' } };
    for (const [host, reference] of [
      [ws2, 'alpha'],
      [ws2, 'alpha@ws2'],
    ] as const) {
      const path = `/houmao/agents/${encodeURIComponent(reference)}/gateway/requests`;
      const refused = await host.ask('POST', path, prompt);
      expect([refused.status, refused.headers.get('x-houmao-error-code')]).toEqual([409, 'held_elsewhere']);
    }
    const now = { request_kind: 'submit_prompt', prompt: 'nobody' };
    const passed = await ws1.ask('POST', '/houmao/agents/alpha%40ws2/requests', now);
    expect([passed.status, passed.headers.get('x-houmao-error-code')]).toEqual([409, 'held_elsewhere']);
    const command = await waitFor(ws1, await giveCommand(ws1, 'alpha@ws2', 'nobody'));
    expect(command).toMatchObject({ state: 'refused', detail: expect.stringContaining('host ws1') });
    // It is seen, and asked through its host.
    expect((await ws2.ask('GET', '/houmao/agents/alpha/state')).status).toBe(200);
    expect(await waitFor(ws2, await giveCommand(ws2, 'alpha@ws1', 'somebody'))).toMatchObject({
      state: 'delivered',
    });
    expect(takenPrompts(ledger).map((taken) => taken.prompt)).toEqual(['somebody']);
  },
);

test(
  'an agent goes to another host once its own was not heard of for ten minutes, with a later epoch, and comes back',
  slow,
  async () => {
    const engine = fleetEngine('ws1', 'ws2');
    await engine.start();
    let age = 0;
    const leasesOf = async (host: string, hostId: string, other: string) => {
      const connection = await engine.connect(host);
      const kept = await openBuckets(new Kvm(connection), 1);
      const holderOf = () => ({ record: { host_id: other }, ageMilliseconds: age }) as KnownHost;
      const leases = new HostLeases({ host, hostId, holderOf, clock: systemClock, report: () => undefined });
      const session = { ...kept, ended: new AbortController().signal };
      return {
        leases,
        keep: (...ids: string[]) =>
          leases.keep(
            session,
            ids.map((sessionId) => ({ trackedAgentId: 'a', sessionId })),
          ),
      };
    };
    const one = await leasesOf('ws1', 'one', 'two');
    const two = await leasesOf('ws2', 'two', 'one');
    await one.keep('session-1');
    await two.keep('session-1');
    const first = one.leases.of('a');
    expect(first).toEqual({ kind: 'ours', epoch: expect.any(Number) });
    expect(two.leases.of('a')).toMatchObject({ kind: 'theirs', host: 'ws1' });

    // The agent ends on its host, and the other one asks again.
    await one.keep();
    await two.keep();
    await two.keep('session-1');
    const second = two.leases.of('a');
    expect(second).toEqual({ kind: 'ours', epoch: expect.any(Number) });
    await one.keep('session-1');
    expect(one.leases.of('a')).toMatchObject({ kind: 'theirs', host: 'ws2' });

    age = leaseMilliseconds + 1;
    await one.keep();
    await one.keep('session-1');
    const third = one.leases.of('a');
    const epochs = [first, second, third].map((lease) => (lease?.kind === 'ours' ? lease.epoch : 0));
    expect(epochs).toEqual([...epochs].sort((a, b) => a - b));
    expect(new Set(epochs).size).toBe(3);
  },
);

test(
  'agents whose leases NATS lost are taken again, and a prompt from before is of no earlier epoch',
  slow,
  async () => {
    const engine = fleetEngine('ws1', 'ws2');
    await engine.start();
    const leasesOf = (host: string) =>
      new HostLeases({
        host,
        hostId: host,
        holderOf: () => null,
        clock: systemClock,
        report: () => undefined,
      });
    const sessionOf = async (host: string) => {
      const kept = await openBuckets(new Kvm(await engine.connect(host)), 1);
      return { ...kept, ended: new AbortController().signal };
    };
    const agent = (sessionId: string) => ({ trackedAgentId: sessionId, sessionId });
    const epochOf = (leases: HostLeases, id: string) => {
      const lease = leases.of(id);
      return lease?.kind === 'ours' ? lease.epoch : null;
    };
    const [first, other] = [leasesOf('ws1'), leasesOf('ws2')];
    await first.keep(await sessionOf('ws1'), [agent('a'), agent('b')]);
    const before = epochOf(first, 'b');
    await (await jetstreamManager(await engine.operate())).streams.delete(`KV_${buckets.leases}`);
    await other.keep(await sessionOf('ws2'), [agent('c'), agent('d'), agent('e')]);
    // A server that goes on, and one that was started again meanwhile.
    const over = new AbortController();
    const again = first.run({ ...(await sessionOf('ws1')), ended: over.signal });
    over.abort();
    await again;
    await first.keep(await sessionOf('ws1'), [agent('a'), agent('b')]);
    expect(epochOf(first, 'b')).toBe(before);
    await (await jetstreamManager(await engine.operate())).streams.delete(`KV_${buckets.leases}`);
    await other.keep(await sessionOf('ws2'), []);
    const restarted = leasesOf('ws1');
    await restarted.keep(await sessionOf('ws1'), [agent('a'), agent('b')]);
    expect(epochOf(restarted, 'b')).toBeLessThanOrEqual(before ?? -1);
  },
);
