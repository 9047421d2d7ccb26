import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { findAgent, listAgents } from '../../../src/launch/agent-directory.js';
import type { AgentHost } from '../../../src/launch/agent-host.js';
import { readBrainManifest } from '../../../src/launch/brain/brain-manifest.js';
import { checkLaunch } from '../../../src/launch/check-launch.js';
import { createSession } from '../../../src/launch/create-session.js';
import { LaunchRefused } from '../../../src/launch/launch-fault.js';
import { readManifest } from '../../../src/session/manifest.js';
import { Tmux } from '../../../src/terminal/tmux.js';
import { TmuxFault } from '../../../src/terminal/tmux-fault.js';
import { hostIn, requestFor } from '../../support/launch-host.js';
import { oldTmux } from '../../support/old-tmux.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const own = ownTmux();
let counter = 0;
const freshHost = (tmux: Tmux = own.tmux): AgentHost => {
  counter += 1;
  return { ...hostIn(join(folder, String(counter))), tmux };
};
const sessionsOf = ({ runtimeRoot }: AgentHost): string[] => {
  const all = join(runtimeRoot, 'sessions', 'claude_headless');
  return existsSync(all) ? readdirSync(all) : [];
};
const request = (host: AgentHost, tmux: boolean) => checkLaunch(requestFor('alpha', folder, { tmux }), host);

test('an agent in tmux has its session on the server of its host', async () => {
  const host = freshHost();
  const paths = await createSession(request(host, true), host);
  const session = readManifest(paths.manifest).tmux_session_name ?? '';
  expect(own.run('show-environment', '-t', session, 'HOUMAO_MANIFEST_PATH')).toBe(
    `HOUMAO_MANIFEST_PATH=${paths.manifest}\n`,
  );
  expect(findAgent('alpha', host).record.terminal.session_name).toBe(session);
});

test('what it leaves says how to launch another one: its brain.yaml is a brain manifest', async () => {
  const host = freshHost();
  const requestedOf = request(host, false);
  const { root } = await createSession(requestedOf, host);
  expect(readBrainManifest(join(root, 'brain.yaml'))).toMatchObject({
    tool: 'claude',
    executable: requestedOf.executable,
    home: { variable: 'CLAUDE_CONFIG_DIR', path: requestedOf.homePath },
  });
});

test('without tmux nothing is made, and nobody is registered', async () => {
  const host = freshHost(new Tmux({ environment: { PATH: '/nowhere' } }));
  await expect(createSession(request(host, true), host)).rejects.toThrow(TmuxFault);
  expect(sessionsOf(host)).toEqual([]);
  expect(listAgents(host).agents).toEqual([]);
});

test('an agent in a terminal is refused where tmux is too old for it, before anything is made', async () => {
  const host = freshHost(oldTmux(folder));
  const terminal = checkLaunch(requestFor('alpha', folder, { tmux: true, terminal: true }), host);
  await expect(createSession(terminal, host)).rejects.toThrow('needs tmux 3.2 or later');
  expect(existsSync(join(host.runtimeRoot, 'sessions'))).toBe(false);
});

test('a session folder that cannot be made leaves nothing, and nothing is called left', async () => {
  const host = freshHost();
  const requestedOf = request(host, false);
  mkdirSync(host.runtimeRoot, { recursive: true });
  const inTheWay = join(host.runtimeRoot, 'sessions');
  writeFileSync(inTheWay, 'mine');
  const failure = createSession(requestedOf, host);
  await expect(failure).rejects.toMatchObject({
    code: 'ENOTDIR',
    message: expect.not.stringContaining('Not removed'),
  });
  expect(readFileSync(inTheWay, 'utf8')).toBe('mine');
  expect(existsSync(requestedOf.homePath)).toBe(false);
});

test('of two launches of one name at once one wins, and nothing is left of the other', async () => {
  const host = freshHost();
  const twice = checkLaunch(requestFor('twice', folder, { tmux: true }), host);
  // Not in the same millisecond: else tmux itself refuses the second one its name.
  const late = { ...host, clock: { ...host.clock, now: () => new Date(Date.now() + 5) } };
  const ends = await Promise.allSettled([createSession(twice, host), createSession(twice, late)]);
  const lost = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  expect(lost).toEqual([expect.any(LaunchRefused)]);
  expect(lost[0].trouble).toMatchObject({ code: 'name_taken', name: 'HOUMAO-twice' });
  const { paths, record } = findAgent('twice', host);
  expect(sessionsOf(host)).toEqual([basename(paths.root)]);
  const sessions = own.run('list-sessions', '-F', '#{session_name}').split('\n');
  expect(sessions.filter((name) => name.startsWith('HOUMAO-twice'))).toEqual([record.terminal.session_name]);
});

test('a home that the launch made goes again with it where it is empty, and one that was there stays', async () => {
  const host = freshHost();
  const fail = () => Promise.reject(new Error('no gateway'));
  const home = join(host.home, '.claude');
  await expect(createSession(request(host, false), host, fail)).rejects.toThrow('no gateway');
  expect(existsSync(home)).toBe(false);
  const nested = { ...request(host, false), homePath: join(host.home, 'a', 'b') };
  await expect(createSession(nested, host, fail)).rejects.toThrow('no gateway');
  expect(existsSync(join(host.home, 'a'))).toBe(false);

  mkdirSync(home);
  await expect(createSession(request(host, false), host, fail)).rejects.toThrow('no gateway');
  expect(existsSync(home)).toBe(true);
  const written = () => {
    writeFileSync(join(host.home, 'a', 'b', 'settings.json'), '{}');
    return fail();
  };
  await expect(createSession(nested, host, written)).rejects.toThrow('no gateway');
  expect(readdirSync(join(host.home, 'a', 'b'))).toEqual(['settings.json']);
});
