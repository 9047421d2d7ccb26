import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { takenPrompts } from '../../e2e/recovery/evidence.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { launchStandin, type StandinAgent } from '../../support/standin-agent.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

// Many prompts at once: an agent gets one of them, whichever process hands it over, and the callers of the others learn why not.

const tmux = ownTmux();
const folder = temporaryFolder(tmux);
let server: ManagedServer;
const agents: StandinAgent[] = [];
beforeAll(async () => {
  server = await openManagedServer(folder, tmux);
  for (const [name, transport] of [
    ['plain', 'headless'],
    ['behind', 'headless'],
    ['screen', 'tui'],
  ] as const)
    agents.push(await launchStandin(server.host, folder, name, transport));
  await server.server.directory.changed();
  expect((await ask('behind', 'POST', '/gateway/attach', {})).status).toBe(200);
});
afterAll(async () => {
  for (const { name } of agents) await ask(name, 'POST', '/stop');
  await server.close();
  expect(server.faults).toEqual([]);
});

const ask = (name: string, method: string, rest: string, body?: unknown) =>
  server.ask(method, `/houmao/agents/${name}${rest}`, body);

describe.each([
  ['plain', 'of the server itself'],
  ['behind', 'behind a gateway'],
  ['screen', 'in a terminal'],
])('agent `%s`, %s', (name) => {
  test('gets one of twenty prompts', async () => {
    const agent = agents.find((one) => one.name === name)!;
    await expect.poll(async () => (await ask(name, 'GET', '/state')).body.turn.phase).toBe('ready');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const prompt = `[[slow=3600000]] number ${index}`;
        return agent.transport === 'headless' && index % 2 === 0
          ? ask(name, 'POST', '/turns', { prompt })
          : ask(name, 'POST', '/requests', { request_kind: 'submit_prompt', prompt });
      }),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    const taken = answers.find(({ status }) => status === 200);
    const turnId = taken?.body.turn_id ?? taken?.headers.get('x-houmao-turn-id');
    for (const { status, body, headers } of answers) {
      if (status !== 409) continue;
      expect(body.detail).toContain(`works on turn \`${turnId}\``);
      expect(headers.get('X-Houmao-Active-Turn-Id')).toBe(turnId);
    }
    await expect.poll(() => takenPrompts(agent.ledger)).toHaveLength(1);
    expect((await ask(name, 'POST', '/requests', { request_kind: 'interrupt' })).status).toBe(200);
    const record = await ask(name, 'GET', `/turns/${turnId}/record?wait_seconds=30`);
    expect(record.body).toMatchObject({ state: 'ended', outcome: 'interrupted' });
    expect(takenPrompts(agent.ledger)).toHaveLength(1);
  });
});
