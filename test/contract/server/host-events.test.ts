// The events of all agents of a host: of one with a gateway, and of one whose turns the server runs.
import { existsSync, renameSync } from 'node:fs';
import { createHoumaoClient, type Schemas } from '@houmao/sdk/managed-agent';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SessionPaths } from '../../../src/session/session-paths.js';
import { readStream } from '../../support/event-stream.js';
import { launchOn } from '../../support/managed-agents.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

type HostEvent = Schemas['HostEvent'];

let server: ManagedServer;
let guided: SessionPaths;
beforeEach(async () => {
  const folder = temporaryFolder();
  server = await openManagedServer(folder);
  guided = await launchOn(server.host, folder, 'guided');
  await launchOn(server.host, folder, 'alone');
  await server.server.directory.changed();
  await attach();
});
afterEach(async () => {
  for (const name of ['guided', 'alone']) await server.ask('POST', `/houmao/agents/${name}/stop`);
  await server.close();
  expect(server.faults).toEqual([]);
});

const attach = async () => {
  const body = { execution_mode: 'detached_process' };
  expect((await server.ask('POST', '/houmao/agents/guided/gateway/attach', body)).status).toBe(200);
};
const detach = async () =>
  expect((await server.ask('POST', '/houmao/agents/guided/gateway/detach')).status).toBe(200);
const client = () => createHoumaoClient({ baseUrl: server.url, timeoutMs: 30_000 });
const answered = (name: string) => client().agent(name).prompt('hello');
const page = async (query: string) => (await server.ask('GET', `/houmao/events?${query}`)).body;

/** Every item behind a place. */
async function everything(from = '0'): Promise<HostEvent[]> {
  const items: HostEvent[] = [];
  for (let after = from; ; ) {
    const { events, next_after } = await page(`after=${after}&limit=3`);
    if (events.length === 0) return items;
    items.push(...events);
    after = next_after;
  }
}
const ofAgent = (items: readonly HostEvent[], name: string) =>
  items.filter(({ agent_name }) => agent_name === `HOUMAO-${name}`);
const isEndOf =
  (name: string) =>
  ({ agent_name, event }: HostEvent): boolean =>
    agent_name === `HOUMAO-${name}` && event?.kind === 'turn_ended';

test('are those of each agent, page by page, each once', async () => {
  await answered('guided');
  await answered('alone');
  const items = await everything();
  for (const name of ['guided', 'alone']) {
    const events = ofAgent(items, name).map(({ event }) => event);
    expect(events.map((event) => event?.seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.map((event) => event?.kind)).toEqual(
      expect.arrayContaining(['turn_claimed', 'turn_confirmed', 'turn_ended']),
    );
  }
  const { events } = (await server.ask('GET', '/houmao/agents/guided/gateway/events')).body;
  expect(ofAgent(items, 'guided').map(({ event }) => event)).toEqual(events);
  const middle = Math.floor(items.length / 2);
  expect(await everything(items[middle]?.id)).toEqual(items.slice(middle + 1));
});

test('are streamed as they happen, from now on, also of an agent that comes later', async () => {
  await answered('guided');
  const seen: HostEvent[] = [];
  const stream = readStream(`${server.url}/houmao/events?after=latest`);
  // The stream begins where the answer does.
  const first = stream.next();
  await launchOn(server.host, temporaryFolder(), 'late');
  await answered('alone');
  for (let next = await first; !next.done; next = await stream.next()) {
    const { id, event, data } = next.value;
    expect([id, event]).toEqual([data.id, data.event.kind]);
    seen.push(data);
    if (isEndOf('alone')(data)) break;
  }
  await answered('late');
  for await (const { data } of stream) {
    seen.push(data);
    if (isEndOf('late')(data)) break;
  }
  expect(ofAgent(seen, 'guided')).toEqual([]);
  expect(ofAgent(seen, 'late').map(({ event }) => event?.seq)[0]).toBe(1);
  await server.ask('POST', '/houmao/agents/late/stop');
});

test('are followed by the SDK over a gateway that goes and comes back', async () => {
  const leaving = new AbortController();
  const seen: HostEvent[] = [];
  // Each position that is reported is behind what was delivered by then, and so is safe to keep.
  const positions: (readonly [string, string | undefined])[] = [];
  const following = (async () => {
    const onUpdate = ({ after }: { after: string }) => void positions.push([after, seen.at(-1)?.id]);
    const options = { signal: leaving.signal, onUpdate };
    for await (const item of client().events(options)) seen.push(item);
  })();
  await answered('guided');
  await expect.poll(() => seen.some(isEndOf('guided'))).toBe(true);
  await detach();
  await answered('guided');
  await attach();
  await answered('guided');
  await expect.poll(() => seen.filter(isEndOf('guided')).length).toBe(3);
  leaving.abort();
  await following;
  const all = await everything();
  expect(seen).toEqual(all.slice(0, seen.length));
  expect(positions).not.toEqual([]);
  for (const [reported, delivered] of positions) expect(reported).toBe(delivered);
  const kinds = new Set<string>();
  const wanted = { kinds: ['turn_ended'], signal: AbortSignal.timeout(20_000) } as const;
  for await (const { event } of client().events(wanted)) {
    kinds.add(event?.kind ?? 'gap');
    if (event?.seq === all.findLast(isEndOf('guided'))?.event?.seq) break;
  }
  expect([...kinds]).toEqual(['turn_ended']);
});

test('of an agent whose record began again begin again behind a gap', async () => {
  await answered('guided');
  const { next_after } = await page('after=latest');
  await detach();
  await server.server.sessions.forget(
    server.server.directory.list().find(({ agentName }) => agentName === 'HOUMAO-guided')!,
  );
  for (const end of ['', '-wal', '-shm'])
    if (existsSync(guided.queue + end)) renameSync(guided.queue + end, `${guided.queue}.aside${end}`);
  await attach();
  const items = ofAgent(await everything(next_after), 'guided');
  expect(items[0]).toMatchObject({ event: null, gap: expect.stringMatching(/guided began again/) });
  expect(items[1]?.event?.seq).toBe(1);
});

test('are refused for a place that is none', async () => {
  const { status, body } = await server.ask('GET', '/houmao/events?after=41');
  expect([status, body.detail[0].loc]).toEqual([422, ['query', 'after']]);
});
