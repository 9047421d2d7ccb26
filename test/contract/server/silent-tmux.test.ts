import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { launchOn } from '../../support/managed-agents.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { ask } from '../support/ask.js';

// A tmux server that is there and says nothing: a request for its terminals is answered, with what is known without it.

const tmux = ownTmux();
const folder = temporaryFolder(tmux);
let server: ManagedServer;
let tmuxServer: number;
let terminal: string;
beforeAll(async () => {
  server = await openManagedServer(folder, tmux);
  await launchOn(server.host, folder, 'screen', { terminal: true, tmux: true });
  await server.server.directory.changed();
  await vi.waitFor(
    async () =>
      expect((await agent('GET', '/state')).body).toMatchObject({
        availability: 'available',
        turn: { phase: 'ready' },
      }),
    { timeout: 20_000 },
  );
  terminal = (await agent('GET', '')).body.terminal_id;
  tmuxServer = Number(tmux.run('display-message', '-p', '#{pid}'));
  process.kill(tmuxServer, 'SIGSTOP');
});
afterAll(async () => {
  process.kill(tmuxServer, 'SIGCONT');
  await server.close();
});
const agent = (method: string, path: string, body?: unknown) =>
  ask(server.url, method, `/houmao/agents/screen${path}`, body);

test('the agent is reported as unknown, by every way of looking at it', async () => {
  await expect
    .poll(async () => await agent('GET', '/state'))
    .toMatchObject({ status: 200, body: { availability: 'error', turn: { phase: 'unknown' } } });
  const detail = await agent('GET', '/state/detail');
  expect(detail).toMatchObject({
    status: 200,
    body: { detail: { diagnostics: { transport_state: 'probe_error' } } },
  });
  expect((await agent('GET', '/history')).status).toBe(200);
  for (const rest of ['state', 'history'])
    expect((await ask(server.url, 'GET', `/houmao/terminals/${terminal}/${rest}`)).status).toBe(200);
});

test.each([
  ['/requests', { request_kind: 'submit_prompt', prompt: 'hello' }],
  ['/requests', { request_kind: 'interrupt' }],
  ['/stop', undefined],
])('what needs the terminal is 503: POST %s %o', async (path, body) => {
  expect(await agent('POST', path, body)).toMatchObject({
    status: 503,
    body: { detail: expect.any(String) },
  });
});
