import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLaunch } from '../../../src/launch/check-launch.js';
import { createSession } from '../../../src/launch/create-session.js';
import { requestFor } from '../../support/launch-host.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const tmux = ownTmux();
let served: ManagedServer;
beforeAll(async () => {
  served = await openManagedServer(folder, tmux);
  for (const name of ['one', 'two']) tmux.run('new-session', '-d', '-s', name, 'sleep 1000');
});
afterAll(() => served.close());

const register = (query: Record<string, string>) =>
  served.ask(
    'POST',
    `/houmao/launches/register?${Object.entries(query)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&')}`,
  );
const registrationOf = (name: string) =>
  JSON.parse(readFileSync(join(folder, 'server/sessions', name, 'registration.json'), 'utf8'));

test('a registered session is an agent by all its names; registered again, it is overwritten', async () => {
  const given = { session_name: 'one', tool: 'claude', agent_name: 'HOUMAO-uno', agent_id: 'uno-1' };
  const { status, body } = await register(given);
  expect([status, body]).toEqual([
    200,
    { success: true, session_name: 'one', terminal_id: expect.stringMatching(/^[a-f0-9]{8}$/) },
  ]);
  for (const alias of ['one', body.terminal_id, 'HOUMAO-uno', 'uno', 'uno-1'])
    expect(served.server.directory.resolve(alias)).toMatchObject({ agent: { trackedAgentId: 'one' } });
  expect(registrationOf('one')).toMatchObject({ agent_name: 'HOUMAO-uno', manifest_path: null });
  expect(
    (await register({ session_name: 'one', tool: 'codex', terminal_id: '00c0ffee' })).body.terminal_id,
  ).toBe('00c0ffee');
  expect(registrationOf('one')).toMatchObject({ tool: 'codex', agent_name: null });
  expect(served.server.directory.resolve('uno').kind).toBe('none');
});

test('what is not known of a session comes from its manifest and the registry', async () => {
  const host = { ...served.host };
  const requested = requestFor('full', folder, {
    tmux: true,
    terminal: true,
    homePath: join(folder, 'home'),
  });
  const paths = await createSession(checkLaunch(requested, host), host);
  const manifest = JSON.parse(readFileSync(paths.manifest, 'utf8'));
  const session = manifest.tmux_session_name;
  const given = { session_name: 'named-full', tool: 'claude', manifest_path: paths.manifest };
  const { status, body } = await register(given);
  expect(status).toBe(200);
  const found = served.server.directory.resolve('named-full');
  expect(found).toMatchObject({
    agent: {
      trackedAgentId: 'named-full',
      tmuxSessionName: session,
      sessionRoot: paths.root,
      agentName: 'HOUMAO-full',
      terminalId: body.terminal_id,
    },
  });
  expect(served.server.directory.resolve('full').kind).toBe('one');
  tmux.run('kill-session', '-t', session);
});

test.each([
  ['a name that leads elsewhere', { session_name: '../one' }, 400, /^session_name must be /],
  ['a dot', { session_name: '..' }, 400, /^session_name must be /],
  ['blanks around it', { session_name: ' one' }, 400, /^session_name must be /],
  ['no such session', { session_name: 'nobody' }, 404, /^No tmux session `nobody` runs on this host\.$/],
  [
    'no such tmux session',
    { session_name: 'one', tmux_session_name: 'nobody' },
    404,
    /^No tmux session `nobody` runs on this host\.$/,
  ],
  ['a relative manifest', { session_name: 'one', manifest_path: 'x' }, 422, /^manifest_path must be /],
  [
    'a manifest that is not there',
    { session_name: 'one', manifest_path: '/nowhere/manifest.json' },
    422,
    /^manifest_path cannot be used: /,
  ],
  [
    'a root that is not there',
    { session_name: 'one', session_root: '/nowhere' },
    422,
    /^session_root is not /,
  ],
])('%s is refused, and nothing is changed', async (_what, query, status, detail) => {
  const before = served.server.directory.list();
  const answer = await register({ tool: 'claude', ...query });
  expect([answer.status, answer.body.detail]).toEqual([status, expect.stringMatching(detail)]);
  expect(served.server.directory.list()).toEqual(before);
});

test.each([
  ['a blank tool', { tool: ' ' }, 'tool'],
  ['a blank option', { agent_name: ' ' }, 'agent_name'],
  ['a terminal that is none', { terminal_id: 'XYZ' }, 'terminal_id'],
  ['an unknown parameter', { colour: 'blue' }, 'colour'],
])('%s breaks the contract', async (_what, query, name) => {
  const answer = await register({ session_name: 'one', tool: 'claude', ...query });
  expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', name] }] } });
});

test('the terminal of another agent cannot be taken', async () => {
  expect((await register({ session_name: 'one', tool: 'claude', terminal_id: 'abcdef01' })).status).toBe(200);
  const answer = await register({ session_name: 'two', tool: 'claude', terminal_id: 'abcdef01' });
  expect([answer.status, answer.body.detail]).toEqual([422, 'terminal_id is the terminal of one.']);
});
