import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchOn } from '../../support/managed-agents.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

// Answers that only the gateway of an agent in a terminal gives, through the server.

const tmux = ownTmux();
const folder = temporaryFolder(tmux);
let server: ManagedServer;
const agent = (method: string, path: string, body?: unknown) =>
  server.ask(method, `/houmao/agents/screen${path}`, body);
beforeAll(async () => {
  server = await openManagedServer(folder, tmux);
  await launchOn(server.host, folder, 'screen', { terminal: true, tmux: true });
  await server.server.directory.changed();
  expect((await agent('POST', '/gateway/attach')).status).toBe(200);
});
afterAll(async () => {
  await agent('POST', '/stop');
  await server.close();
});
const ready = () =>
  expect
    .poll(async () => (await agent('GET', '/gateway/tui/state')).body)
    .toMatchObject({ turn: { phase: 'ready' }, surface: { accepting_input: 'yes' } });

test('its terminal is reported, with its history', async () => {
  await ready();
  const history = await agent('GET', '/gateway/tui/history?limit=1');
  expect([history.status, history.body.entries.length]).toEqual([200, 1]);
});

test('keys are typed, and seen on its screen', async () => {
  await ready();
  expect(await agent('POST', '/gateway/control/send-keys', { sequence: 'a-draft' })).toMatchObject({
    status: 200,
    body: { status: 'ok' },
  });
  await expect
    .poll(async () => (await agent('GET', '/gateway/tui/state')).body.probe_snapshot?.captured_text_excerpt)
    .toContain('a-draft');
  await agent('POST', '/gateway/control/send-keys', { sequence: '<[C-u]>' });
});

test('its screen is seen as a person sees it, and again as soon as something has changed', async () => {
  await ready();
  const seen = async (query = '') => (await agent('GET', `/gateway/tui/screen${query}`)).body;
  // The keys of another test may still be on it.
  await expect.poll(() => seen()).toMatchObject({ draft: 'no' });
  const before = await seen();
  expect(before).toMatchObject({
    schema_version: 1,
    columns: expect.any(Number),
    rows: expect.any(Number),
    scrolled: false,
    draft: 'no',
    // The stand-in hides it and draws its own.
    cursor: null,
    version: expect.stringMatching(/^[0-9a-f]{16}$/),
  });
  expect(before.text.split('\n').length).toBe(before.rows);
  expect(before.text).toContain('\u001b[');
  const waiting = seen(`?after=${before.version}&wait_seconds=60`);
  await agent('POST', '/gateway/control/send-keys', { sequence: 'half a thought' });
  expect((await waiting).version).not.toBe(before.version);
  // The draft is what the gateway last observed, which follows the screen.
  let now = await seen();
  while (now.draft !== 'yes' || !now.text.includes('half a thought'))
    now = await seen(`?after=${now.version}&wait_seconds=60`);
  await agent('POST', '/gateway/control/send-keys', { sequence: '<[C-u]>' });
  while (now.text.includes('half a thought')) now = await seen(`?after=${now.version}&wait_seconds=60`);
});

test('a prompt that was typed elsewhere is noted', async () => {
  expect(await agent('POST', '/gateway/tui/note-prompt', { prompt: 'typed elsewhere' })).toMatchObject({
    status: 200,
    body: { turn: { phase: expect.any(String) } },
  });
});

test('its question to a person is shown and answered by its id, and by no other one', async () => {
  await ready();
  const dialog = '/gateway/tui/dialog';
  expect((await agent('GET', dialog)).body).toEqual({ schema_version: 1, dialog: null });
  await agent('POST', '/gateway/requests', {
    kind: 'submit_prompt',
    payload: { prompt: 'go [[tool=Bash {"command":"ls"}]]' },
  });
  await expect.poll(async () => (await agent('GET', dialog)).body.dialog).not.toBeNull();
  const { dialog_id } = (await agent('GET', dialog)).body.dialog;
  expect((await agent('POST', dialog, { dialog_id: 'dialog-of-another', choose: 1 })).status).toBe(409);
  expect((await agent('POST', dialog, { dialog_id, choose: 99 })).status).toBe(422);
  expect((await agent('POST', dialog, { dialog_id, keys: '<[F1]>' })).status).toBe(422);
  expect(await agent('POST', dialog, { dialog_id, choose: 1 })).toMatchObject({
    status: 200,
    body: { outcome: 'answered', dialog_id, dialog: null },
  });
});

test('a window of another size is seen with its size', async () => {
  const seen = async () => (await agent('GET', '/gateway/tui/screen')).body;
  const { columns, rows, version } = await seen();
  const session = server.server.directory.list()[0]?.tmuxSessionName ?? '';
  const next = agent('GET', `/gateway/tui/screen?after=${version}&wait_seconds=60`);
  tmux.run('resize-window', '-t', `=${session}:`, '-x', String(columns - 10), '-y', String(rows - 2));
  await next;
  await expect.poll(seen).toMatchObject({ columns: columns - 10, rows: rows - 2 });
  tmux.run('resize-window', '-t', `=${session}:`, '-x', String(columns), '-y', String(rows));
});
