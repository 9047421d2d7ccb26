import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { launchStandin } from '../../support/standin-agent.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const tmux = ownTmux();
const folder = temporaryFolder(tmux);
const agents = ['waited', 'endless'] as const;
let server: ManagedServer;
/** A turn of another agent that outlasts every wait here. */
let endless: string;

beforeAll(async () => {
  server = await openManagedServer(folder, tmux);
  for (const name of agents) await launchStandin(server.host, folder, name, 'headless');
  await server.server.directory.changed();
  endless = await begin('endless', '[[slow=600000]] on and on');
});
afterAll(async () => {
  for (const name of agents) await server.ask('POST', `/houmao/agents/${name}/stop`);
  await server.close();
  expect(server.faults).toEqual([]);
});

async function begin(name: string, prompt: string): Promise<string> {
  const { status, body } = await server.ask('POST', `/houmao/agents/${name}/turns`, { prompt });
  expect({ status, detail: body.detail }).toMatchObject({ status: 200 });
  return body.turn_id;
}
const wait = (name: string, turnId: string, seconds: number, signal?: AbortSignal) =>
  fetch(`${server.url}/houmao/agents/${name}/turns/${turnId}?wait_seconds=${seconds}`, {
    signal: signal ?? null,
  });
const waiting = (name: string) => {
  const found = server.server.directory.resolve(name);
  return found.kind === 'one' ? server.server.sessions.of(found.agent)?.waiting : undefined;
};

describe.each(['the server', 'a gateway'])('a wait for a turn that %s runs', (owner) => {
  beforeEach(async () => {
    const way = owner === 'a gateway' ? 'attach' : 'detach';
    const { body } = await server.ask('POST', `/houmao/agents/waited/gateway/${way}`);
    expect(body.gateway_health).toBe(owner === 'a gateway' ? 'healthy' : 'not_attached');
  });

  test('ends with the turn, long before the time that was given to it', async () => {
    const turnId = await begin('waited', '[[slow=500]] soon over');
    // By itself it would last longer than a test may.
    const answer = await wait('waited', turnId, 60);
    expect(await answer.json()).toMatchObject({ status: 'completed' });
  });
});

test('a caller who goes away waits no longer', async () => {
  const gone = new AbortController();
  const answer = wait('endless', endless, 60, gone.signal).catch((error: Error) => error.name);
  await expect.poll(() => waiting('endless')).toBe(1);
  gone.abort();
  expect(await answer).toBe('AbortError');
  await expect.poll(() => waiting('endless')).toBe(0);
});
