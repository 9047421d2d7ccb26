import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { launchOn } from '../../support/managed-agents.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { ask } from '../support/ask.js';

// A tmux that cannot be run for a while: what it alone can tell is unknown, and nothing that it has to end is taken for ended.

const folder = temporaryFolder();
const programs = join(folder, 'programs');
const broken = join(folder, 'broken');
mkdirSync(programs);
const program = join(programs, 'tmux');
writeFileSync(
  program,
  `#!/bin/sh\nif [ -e ${broken} ]; then echo "out of order" >&2; exit 1; fi\nPATH="$REAL_PATH" exec tmux "$@"\n`,
);
chmodSync(program, 0o755);
const tmux = ownTmux({ PATH: `${programs}:${process.env.PATH}`, REAL_PATH: process.env.PATH });
let server: ManagedServer;
beforeAll(async () => {
  server = await openManagedServer(folder, tmux);
  await launchOn(server.host, folder, 'screen', { terminal: true, tmux: true });
  await launchOn(server.host, folder, 'plain', { tmux: true });
  tmux.run('new-session', '-d', '-s', 'guest', 'sleep 1000');
  await server.server.directory.changed();
  // Its terminal is followed by then: over that connection tmux can be asked still.
  await vi.waitFor(
    async () =>
      expect((await ask(server.url, 'GET', '/houmao/agents/screen/state')).body).toMatchObject({
        availability: 'available',
      }),
    { timeout: 20_000 },
  );
});
afterEach(() => rmSync(broken, { force: true }));
afterAll(() => server.close());

test.each([
  ['screen', 503],
  ['plain', 502],
])('an agent that tmux cannot end is not stopped, and is stopped later: %s is %i', async (name, status) => {
  const stop = () => ask(server.url, 'POST', `/houmao/agents/${name}/stop`);
  writeFileSync(broken, '');
  expect(await stop()).toMatchObject({
    status,
    body: { detail: expect.stringMatching(/ could not be stopped: .*once tmux can be run\.$/) },
  });
  rmSync(broken);
  expect((await ask(server.url, 'GET', `/houmao/agents/${name}`)).status).toBe(200);
  expect((await stop()).status).toBe(200);
});

test('a session that tmux cannot be asked about is not registered', async () => {
  const register = () => ask(server.url, 'POST', '/houmao/launches/register?session_name=guest&tool=claude');
  writeFileSync(broken, '');
  expect(await register()).toMatchObject({
    status: 503,
    body: { detail: 'Whether there is such a tmux session is not known: tmux cannot be run now.' },
  });
  rmSync(broken);
  expect((await ask(server.url, 'GET', '/houmao/agents/guest')).status).toBe(404);
  expect((await register()).status).toBe(200);
});
