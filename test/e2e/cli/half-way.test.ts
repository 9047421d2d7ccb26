import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { manage, managerEnvironment } from '../../support/manager.js';
import { standinProgram } from '../../support/test-session.js';

// What goes wrong in the middle of a launch or a stop: what is said is true, and the next command helps.
const folder = mkdtempSync(join(tmpdir(), 'houmao-half-'));
const environment: NodeJS.ProcessEnv = {
  ...managerEnvironment(folder),
  TMUX_TMPDIR: folder,
  TMUX: '',
};
const run = (...args: string[]) => manage(environment, args);
const launch = (name: string, ...more: string[]) =>
  run(
    'agents',
    'launch',
    ...['--tool', 'claude', '--headless', '--executable', standinProgram, '--name', name],
    ...['--workdir', folder, '--home', join(folder, 'home'), ...more],
  );
const names = async (): Promise<string[]> =>
  JSON.parse((await run('agents', 'list', '--json')).stdout).agents.map(
    ({ agent_name }: { agent_name: string }) => agent_name,
  );

afterAll(async () => {
  for (const name of await names()) await run('agents', 'stop', name);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test('a launch whose gateway does not come up says that the agent is there, and the commands it names work', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as { port: number };
  const launched = await launch('half', '--no-tmux', '--port', String(port));
  taken.close();
  expect(launched).toMatchObject({ code: 1, stdout: '' });
  expect(launched.stderr).toMatch(
    /address already in use[\s\S]*The agent half is registered, but its gateway/,
  );
  const commands = [...launched.stderr.matchAll(/houmao-mgr (agents .+)$/gm)].map(([, words]) => words);
  expect(commands).toEqual(['agents gateway attach half', 'agents stop half']);
  for (const words of commands) expect(await run(...(words ?? '').split(' '))).toMatchObject({ code: 0 });
  expect(await names()).not.toContain('HOUMAO-half');
});

test('an agent with a spoilt manifest is stopped by its record, its running gateway too', async () => {
  const { session_root: root, gateway_url: url } = JSON.parse(
    (await launch('spoilt', '--no-tmux', '--json')).stdout,
  );
  writeFileSync(join(root, 'manifest.json'), '{');
  const stopped = await run('agents', 'stop', 'spoilt');
  expect(stopped.code).toBe(0);
  expect(stopped.stdout).toMatch(/^Stopped HOUMAO-spoilt\..*\n.*manifest\.json could not be read/);
  await expect(fetch(`${url}/health`)).rejects.toThrow();
  expect(await names()).not.toContain('HOUMAO-spoilt');
});

test('a gateway whose manifest is spoilt is detached by its own record, and what could not be done is told', async () => {
  const { session_root: root, gateway_url: url } = JSON.parse(
    (await launch('torn', '--no-tmux', '--json')).stdout,
  );
  const manifest = join(root, 'manifest.json');
  const sound = readFileSync(manifest);
  writeFileSync(manifest, '{');
  const detached = await run('agents', 'gateway', 'detach', 'torn');
  expect(detached).toMatchObject({ code: 0, stderr: '' });
  expect(detached.stdout).toMatch(
    /^Stopped the gateway of HOUMAO-torn\.\n.*manifest\.json could not be read .*left as they were\.\n$/,
  );
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
  expect(stopped.stderr).toMatch(/could not be ended .*tmux was not found.*HOUMAO-kept stays registered/);
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
    /houmao-mgr: There is an agent HOUMAO-twin already \(.*\)\. Choose another --name, or stop it: houmao-mgr agents stop /,
  );
});

test('a variable that makes no sense is named without a stack', async () => {
  const { code, stderr } = await manage({ ...environment, HOUMAO_GLOBAL_REGISTRY_DIR: 'relative' }, [
    'agents',
    'list',
  ]);
  expect([code, stderr]).toEqual([
    1,
    'houmao-mgr: HOUMAO_GLOBAL_REGISTRY_DIR must be an absolute path, got relative\n',
  ]);
});
