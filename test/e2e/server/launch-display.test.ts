import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBody, prepare } from '../../support/brain.js';
import { managedHost, type ServerProcess, startManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

// The pane of an agent, as somebody sees it while turns run.

const folder = temporaryFolder();
const tmux = ownTmux();
const { requested } = prepare(folder);
let server: ServerProcess;
beforeAll(async () => {
  server = await startManagedServer(managedHost(folder, tmux), folder);
});
afterAll(async () => {
  expect(await server.stop()).toBe(0);
});

test.each([
  ['plain', 'concise', /^\[action\] Bash.*\n\[result\] .*\nYou said: hello .*\n\[complete\] /],
  ['plain', 'detail', /^\[progress\] init\n\[action\] Bash/],
  ['fancy', 'concise', /^Action: Bash.*\nResult: .*\nYou said: hello .*\nComplete: /],
  ['json', 'concise', /^\{"kind":"action_request",/],
  [undefined, null, /^\[action\] Bash.*\n/],
])('a turn of an agent launched as %s and %s', async (style, detail, pattern) => {
  const agent = `display-${style}-${detail}`;
  const launched = await server.ask('POST', '/houmao/agents/headless/launches', {
    ...launchBody(requested),
    agent_name: agent,
    headless_display_style: style,
    headless_display_detail: detail,
  });
  expect(launched.status).toBe(200);
  const path = `/houmao/agents/${agent}`;
  const begun = await server.ask('POST', `${path}/turns`, { prompt: '[[tool=Bash {"x":1}]] hello' });
  const turn = await server.ask('GET', `${path}/turns/${begun.body.turn_id}?wait_seconds=30`);
  expect(turn.body).toMatchObject({ status: 'completed' });
  const { tmux_session_name: session } = launched.body.identity;
  const shown = () => tmux.run('capture-pane', '-p', '-t', `=${session}:0.0`);
  await expect.poll(shown).toMatch(pattern);
  // The output of the turn does not depend on it.
  expect(readFileSync(turn.body.stdout_path, 'utf8')).toMatch(/^\{"type":"system"/);
  const { entries } = (await server.ask('GET', `${path}/turns/${begun.body.turn_id}/events`)).body;
  expect(entries[0]).toMatchObject({ kind: 'progress', payload: { raw: { type: 'system' } } });
  expect((await server.ask('POST', `${path}/stop`)).status).toBe(200);
});
