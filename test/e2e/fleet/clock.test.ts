// A host whose clock is wrong by an hour: it stays in its fleet, and deadlines keep to the right time.
import { expect, test } from 'vitest';
import { fleetEngine } from '../../support/fleet/engine.js';
import { fleetHosts, giveCommand, knows, waitFor } from '../../support/fleet/hosts.js';
import { takenPrompts } from '../recovery/evidence.js';

const hour = 60 * 60_000;
const deadline = (milliseconds: number) => ({
  'X-Houmao-Deadline': new Date(Date.now() + milliseconds).toISOString(),
});

test.each([
  ['an hour ahead', hour],
  ['an hour behind', -hour],
])(
  'a host whose clock is %s takes prompts until their deadline and none after it, and is there',
  {
    timeout: 240_000,
  },
  async (_what, off) => {
    const engine = fleetEngine('ws1', 'ws2');
    await engine.start();
    const start = fleetHosts(engine);
    const ws1 = await start('ws1');
    const ws2 = await start('ws2', { agent: 'beta', hasOwnClock: true });
    ws2.setClock(off);
    // Its own clock shows in what it writes.
    const command = async (): Promise<number> => {
      const id = await giveCommand(ws2, 'alpha@ws1', 'a look at the clock');
      return Date.parse((await waitFor(ws2, id)).accepted_at_utc) - Date.now();
    };
    await expect.poll(async () => Math.round((await command()) / hour)).toBe(off / hour);
    const late = await giveCommand(ws1, 'beta@ws2', 'late', deadline(-hour / 2));
    const inTime = await giveCommand(ws1, 'beta@ws2', 'in time', deadline(hour / 2));
    expect(await waitFor(ws1, inTime)).toMatchObject({ state: 'delivered' });
    expect(await waitFor(ws1, late)).toMatchObject({ state: 'lapsed' });
    expect(takenPrompts(ws2.session.ledger).map((taken) => taken.prompt)).toEqual(['in time']);

    // Also one that begins with such a clock, and has heard nobody yet.
    await ws2.away('SIGKILL');
    const lateToo = await giveCommand(ws1, 'beta@ws2', 'late too', deadline(-hour / 2));
    const inTimeToo = await giveCommand(ws1, 'beta@ws2', 'in time too', deadline(hour / 2));
    await ws2.back();
    expect(await waitFor(ws1, inTimeToo)).toMatchObject({ state: 'delivered' });
    expect(await waitFor(ws1, lateToo)).toMatchObject({ state: 'lapsed' });
    await knows(ws1, 'ws1', 'ws2');
    await knows(ws2, 'ws1', 'ws2');
    const { body } = await ws1.ask('GET', '/houmao/agents?scope=fleet');
    expect(body.agents.map(({ place }: { place: { detail: string | null } }) => place.detail)).toEqual([
      null,
      null,
    ]);

    // And what it says of prompts for a host that is away.
    await ws1.away();
    const stateOf = async (id: string) => (await ws2.ask('GET', `/houmao/fleet/commands/${id}`)).body.state;
    expect(await stateOf(await giveCommand(ws2, 'alpha@ws1', 'waits', deadline(hour / 2)))).toBe('accepted');
    expect(await stateOf(await giveCommand(ws2, 'alpha@ws1', 'too late', deadline(-hour / 2)))).toBe(
      'lapsed',
    );
  },
);
