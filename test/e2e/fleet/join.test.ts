// `houmao-mgr fleet join` and `fleet leave` on a machine alone, without NATS.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exitCodes } from '../../../src/cli/words/command-failure.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import { belongsTo } from '../../support/run/leftovers.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { machine } from './cli-stage.js';

const slow = { timeout: 180_000 };

test(
  'fleet join takes the addresses of a cluster; the server that starts then has them all',
  slow,
  async () => {
    const here = machine();
    const urls = ['nats://127.0.0.1:1', 'nats://127.0.0.1:2', 'nats://127.0.0.1:3'];
    await here.done('fleet', 'join', urls.join(','), '--replicas', '3', '--host-name', 'ws3');
    const { api_base_url, current_instance } = await here.done('server', 'start', '--port', '0');
    const { address } = await (await fetch(`${api_base_url}/houmao/fleet`)).json();
    expect(address).toBe(urls.join(', '));
    const started = readFileSync(`/proc/${current_instance.pid}/cmdline`, 'utf8').split('\0');
    await here.done('server', 'stop');
    expect(started[started.indexOf('--fleet-replicas') + 1]).toBe('3');
  },
);

test('fleet join counts where HOUMAO_FLEET is empty, which is as if it was not there', slow, async () => {
  const here = machine((folder) => ({ ...managerEnvironment(folder), HOUMAO_FLEET: '' }));
  await here.done('fleet', 'join', 'nats://127.0.0.1:1', '--host-name', 'ws8');
  await here.done('server', 'start', '--port', '0');
  const { answer } = await here.run('fleet', 'status');
  await here.done('server', 'stop');
  expect(answer).toMatchObject({ host: 'ws8', address: 'nats://127.0.0.1:1' });
});

test('fleet join is undone by fleet leave, which is refused where there is nothing to undo', async () => {
  const here = machine();
  const before = readFileSync(here.config, 'utf8');
  const key = join(dirname(here.config), 'key.nk');
  const missing = await here.run('fleet', 'join', 'tls://nats.example.com:4222', '--credentials', key);
  expect([missing.code, readFileSync(here.config, 'utf8')]).toEqual([exitCodes.usage, before]);
  writeFileSync(key, '');
  await here.done('fleet', 'join', 'tls://nats.example.com:4222', '--credentials', key, '--host-name', 'ws8');
  // A host keeps its name.
  const { fleet } = await here.done('fleet', 'join', 'tls://other.example.com:4222');
  expect(fleet).toEqual({ url: 'tls://other.example.com:4222', 'host-name': 'ws8' });
  expect(readFileSync(here.config, 'utf8')).not.toBe(before);
  expect(await here.done('fleet', 'leave')).toEqual({ path: here.config, fleet: null });
  expect(readFileSync(here.config, 'utf8')).toBe(before);
  expect((await here.run('fleet', 'leave')).code).toBe(exitCodes.usage);
  expect(readFileSync(here.config, 'utf8')).toBe(before);
});

test.each([
  ['an address that is none', ['nonsense']],
  ['an address of the web', ['http://127.0.0.1:4222']],
  ['an address without a host', ['nats://']],
  ['two addresses of which one is none', ['nats://127.0.0.1:4222,nonsense']],
  ['a number of copies that cannot agree', ['nats://127.0.0.1:4222', '--replicas', '2']],
  ['a name of a host that is none', ['nats://127.0.0.1:4222', '--host-name', 'A_B']],
])('fleet join refuses %s before it writes', async (_what, args) => {
  const here = machine();
  const before = readFileSync(here.config, 'utf8');
  const { code, failure } = await here.run('fleet', 'join', ...args);
  expect([code, failure.error_code]).toEqual([exitCodes.usage, 'usage']);
  expect(failure.detail).toContain(args.at(-1));
  expect(readFileSync(here.config, 'utf8')).toBe(before);
});

test.each([
  ['url', 'http://127.0.0.1:4222'],
  ['host-name', 'A_B'],
  ['replicas', 2],
])('fleet join has the rule of config.yaml for %s', async (setting, value) => {
  const here = machine();
  const given = { url: 'nats://127.0.0.1:4222', 'host-name': 'ws1', [setting]: value };
  writeFileSync(here.config, JSON.stringify({ fleet: given }));
  const { code, failure } = await here.run('server', 'start', '--port', '0');
  expect([code, failure.error_code]).toEqual([exitCodes.failed, 'unusable_file']);
  expect(failure.detail).toContain(`${setting} of fleet`);
});

describe('a server that cannot join', () => {
  const missing = join(temporaryFolder(), 'none.nk');
  test.each([
    ['HOUMAO_FLEET', { HOUMAO_FLEET: 'nonsense' }, ['HOUMAO_FLEET', 'nats://host:port']],
    [
      'HOUMAO_FLEET_CREDENTIALS',
      { HOUMAO_FLEET: 'nats://127.0.0.1:4222', HOUMAO_FLEET_CREDENTIALS: missing },
      [missing, 'houmao-mgr fleet credentials'],
    ],
    [
      'HOUMAO_FLEET_CA',
      { HOUMAO_FLEET: 'tls://127.0.0.1:4222', HOUMAO_FLEET_CA: import.meta.filename },
      [import.meta.filename, 'certificate'],
    ],
  ])('by %s says so, and ends', async (_variable, variables, words) => {
    const here = machine((folder) => ({ ...managerEnvironment(folder), ...variables }));
    const { code, failure } = await here.run('server', 'start', '--port', '0');
    expect(code).toBe(exitCodes.failed);
    for (const word of words) expect(failure.detail).toContain(word);
    const foreground = await manage(here.environment, ['server', 'start', '--port', '0', '--foreground']);
    expect(foreground.code).toBe(exitCodes.failed);
    for (const word of words) expect(foreground.stderr).toContain(word);
    const left = readdirSync('/proc').filter(
      (name) => /^\d+$/.test(name) && belongsTo(Number(name), here.folder),
    );
    expect(left).toEqual([]);
    expect(await here.done('server', 'status')).toMatchObject({ running: false });
  });

  test('by --fleet is refused before it is started', async () => {
    const here = machine();
    const { code, failure } = await here.run('server', 'start', '--port', '0', '--fleet', 'nonsense');
    expect([code, failure.error_code]).toEqual([exitCodes.usage, 'usage']);
    expect(existsSync(join(here.folder, 'runtime', 'houmao_servers'))).toBe(false);
  });
});
