import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { manage, managerEnvironment, startManager } from '../../support/manager.js';
import { managerProgram, standinProgram } from '../../support/test-session.js';
import { smallDisk } from '../machine/own-disk.js';

// Failures in the middle of a launch or a stop: what is said is true, and the next command helps.
const folder = mkdtempSync(join(tmpdir(), 'houmao-half-'));
const environment: NodeJS.ProcessEnv = {
  ...managerEnvironment(folder),
  TMUX_TMPDIR: folder,
  TMUX: '',
};
const run = (...args: string[]) => manage(environment, args);
const launchWords = (name: string, ...more: string[]): string[] => [
  ...['agents', 'launch', '--tool', 'claude', '--executable', standinProgram, '--name', name],
  ...(more.includes('--tui') || more.includes('--headless') ? [] : ['--headless']),
  ...['--workdir', folder, '--home', join(folder, 'home'), ...more],
];
const launch = (name: string, ...more: string[]) => run(...launchWords(name, ...more));
const names = async (): Promise<string[]> =>
  JSON.parse((await run('agents', 'list', '--json')).stdout).agents.map(
    ({ agent_name }: { agent_name: string }) => agent_name,
  );

/** The files of agents that were launched here as `half`. */
const sessions = (): string[] =>
  readdirSync(join(folder, 'runtime', 'sessions'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('manifest.json'))
    .map((path) => join(folder, 'runtime', 'sessions', path))
    .filter((path) => readFileSync(path, 'utf8').includes('HOUMAO-half'));
function tmuxSessions(): string {
  try {
    return execFileSync('tmux', ['list-sessions'], { env: environment, encoding: 'utf8', stdio: 'pipe' });
  } catch {
    // No session, no server.
    return '';
  }
}

afterAll(async () => {
  for (const name of await names()) await run('agents', 'stop', name);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test.each([
  ['headless', ['--headless', '--no-tmux']],
  ['in tmux', ['--headless']],
  ['in a terminal', ['--tui']],
])('a launch %s whose gateway does not come up says so, and leaves nothing behind', async (_how, more) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as { port: number };
  const mailbox = ['--mailbox', join(folder, 'mail')];
  const launched = await launch('half', ...more, ...mailbox, '--port', String(port));
  taken.close();
  expect(launched).toMatchObject({ code: 1, stdout: '' });
  expect(launched.stderr).toMatch(
    /another program has port .*; choose another --port, or 0 for any free one\nIts gateway did not start, so the agent half was not launched; nothing of it is left\.\n$/,
  );
  expect(await names()).not.toContain('HOUMAO-half');
  expect(sessions()).toEqual([]);
  expect(tmuxSessions()).not.toContain('HOUMAO-half');
  const { accounts } = JSON.parse(
    (await run('mailbox', 'accounts', 'list', '--mailbox-root', join(folder, 'mail'), '--json')).stdout,
  );
  expect(accounts.map(({ address }: { address: string }) => address)).not.toContain('half@houmao.localhost');
});

test.each([
  ['before its gateway', 'Creating the session'],
  ['while its gateway starts', 'Starting its gateway'],
])('a launch that Ctrl-C stops %s leaves nothing behind, and says so', async (_when, line) => {
  const launching = startManager(environment, launchWords('half', '--headless'));
  await launching.saying(new RegExp(line));
  launching.child.kill('SIGINT');
  const { code, stderr } = await launching.ran;
  expect(code).toBe(130);
  expect(stderr).toMatch(
    /\nhoumao-mgr: Stopped\. The agent half was not launched; nothing of it is left\.\n$/,
  );
  expect(await names()).not.toContain('HOUMAO-half');
  expect(sessions()).toEqual([]);
  expect(tmuxSessions()).not.toContain('HOUMAO-half');
});

test('an agent with a spoilt manifest is stopped by its record, its running gateway too', async () => {
  const { session_root: root, gateway_url: url } = JSON.parse(
    (await launch('spoilt', '--no-tmux', '--json')).stdout,
  );
  writeFileSync(join(root, 'manifest.json'), '{');
  const stopped = await run('agents', 'stop', 'spoilt');
  expect(stopped).toMatchObject({ code: 4, stdout: expect.stringMatching(/^Stopped spoilt\..*\n$/) });
  expect(stopped.stderr).toMatch(/houmao-mgr: .*manifest\.json could not be read/);
  await expect(fetch(`${url}/health`)).rejects.toThrow();
  expect(await names()).not.toContain('HOUMAO-spoilt');
});

test('a gateway whose manifest is spoilt is detached by its own record, and what could not be done is reported', async () => {
  const { session_root: root, gateway_url: url } = JSON.parse(
    (await launch('torn', '--no-tmux', '--json')).stdout,
  );
  const manifest = join(root, 'manifest.json');
  const sound = readFileSync(manifest);
  writeFileSync(manifest, '{');
  const detached = await run('agents', 'gateway', 'detach', 'torn');
  expect(detached).toMatchObject({ code: 4, stdout: 'Stopped the gateway of torn.\n' });
  expect(detached.stderr).toMatch(/^houmao-mgr: .*manifest\.json could not be read .*left as they are\.\n$/);
  await expect(fetch(`${url}/health`)).rejects.toThrow();
  expect(readFileSync(manifest, 'utf8')).toBe('{');
  // Once the manifest is mended, the rest is put right.
  writeFileSync(manifest, sound);
  expect(JSON.parse((await run('agents', 'gateway', 'detach', 'torn', '--json')).stdout)).toMatchObject({
    stopped: false,
    left_undone: [],
  });
  const state = JSON.parse(readFileSync(join(root, 'gateway/state.json'), 'utf8'));
  expect(state.gateway_health).toBe('not_attached');
});

test('a stop without tmux does not claim that the tmux session has ended', async () => {
  const launched = JSON.parse((await launch('kept', '--no-gateway', '--json')).stdout);
  const bin = join(folder, 'empty-bin');
  mkdirSync(bin, { recursive: true });
  const without = { ...environment, PATH: bin };
  const stopped = await manage(without, ['agents', 'stop', 'kept']);
  expect(stopped).toMatchObject({ code: 1, stdout: '' });
  expect(stopped.stderr).toMatch(/could not be ended .*tmux was not found.*kept stays registered/);
  expect(await names()).toContain('HOUMAO-kept');
  const has = ['has-session', '-t', launched.tmux_session_name];
  expect(() => execFileSync('tmux', has, { env: environment })).not.toThrow();
  expect(JSON.parse((await run('agents', 'stop', 'kept', '--json')).stdout)).toMatchObject({
    tmux_stopped: true,
    left_undone: [],
  });
});

test('two launches of one name at once: one is done, the other one is refused in a sentence', async () => {
  const both = await Promise.all([
    launch('twin', '--no-tmux', '--no-gateway'),
    launch('twin', '--no-tmux', '--no-gateway'),
  ]);
  expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
  expect(both.find(({ code }) => code === 1)?.stderr).toMatch(
    /houmao-mgr: An agent named twin already exists \(.*\)\. Choose another --name, or stop it: houmao-mgr agents stop /,
  );
});

test.each([
  [0, /its disk is full; make room on it/],
  [16, /its disk is full; make room on it/],
  // Enough for its files, and not for the memory that SQLite shares.
  [64, /queue\.sqlite: .*; look at its disk\n/],
])(
  'a launch on a disk with %i KiB left is refused in a sentence, and leaves nothing',
  async (room, sentence) => {
    const root = join(folder, `disk-${room}`);
    mkdirSync(root);
    const disk = await smallDisk(root, 1);
    onTestFinished(() => disk.remove());
    disk.fill(room);
    const [program = '', ...through] = disk.through;
    const env = {
      ...environment,
      HOUMAO_GLOBAL_RUNTIME_DIR: join(root, 'runtime'),
      HOUMAO_GLOBAL_REGISTRY_DIR: join(root, 'registry'),
    };
    const tool = ['--tool', 'claude', '--executable', standinProgram, '--home', join(folder, 'home')];
    const where = ['--workdir', folder, '--name', 'full', '--no-tmux'];
    const launched = spawnSync(
      program,
      [...through, process.execPath, managerProgram, 'agents', 'launch', ...tool, ...where],
      { env, encoding: 'utf8' },
    );
    expect(launched).toMatchObject({ status: 1, stdout: '' });
    expect(launched.stderr).toMatch(sentence);
    expect(launched.stderr).not.toMatch(/ at .*\.js:\d+/);
    const left = readdirSync(disk.seen, { recursive: true, encoding: 'utf8' });
    expect(left.filter((path) => /manifest\.json$|record\.json$/.test(path))).toEqual([]);
  },
);

test('a variable that makes no sense is named without a stack', async () => {
  const { code, stderr } = await manage({ ...environment, HOUMAO_GLOBAL_REGISTRY_DIR: 'relative' }, [
    'agents',
    'list',
  ]);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^houmao-mgr: HOUMAO_GLOBAL_REGISTRY_DIR must be .* got relative\n$/),
  ]);
});
