// `houmao-mgr fleet up`, with a real NATS server.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { delimiter, join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { expect, onTestFinished, test } from 'vitest';
import { natsServer } from '../../../scripts/tools/nats-server.mjs';
import { seedIn } from '../../../src/fleet/engine/credentials.js';
import { eventSubject, inboxPrefix, streams } from '../../../src/fleet/engine/layout.js';
import { usualHostName } from '../../../src/foundation/host-name.js';
import { identify } from '../../../src/foundation/processes.js';
import { listening } from '../../support/free-port.js';
import { manage, managerEnvironment, type RunningManager, startManager } from '../../support/manager.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

interface Up {
  readonly url: string;
  readonly pid: number;
  readonly folder: string;
  readonly nats_server: { path: string; version: string };
  readonly hosts: { name: string; credentials_file: string; made: boolean }[];
}

/** A machine with a nats-server in PATH. */
function machine(name = 'data') {
  const folder = temporaryFolder();
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  const environment = managerEnvironment(folder);
  return {
    folder,
    programs,
    data: join(folder, name),
    environment: { ...environment, PATH: [programs, environment.PATH].join(delimiter) },
    install: () => copyFileSync(natsServer(console.log), join(programs, 'nats-server')),
  };
}
type Machine = ReturnType<typeof machine>;

/** Starts it, and waits until it says that it serves. */
async function up(
  { environment, data }: Pick<Machine, 'environment' | 'data'>,
  ...flags: string[]
): Promise<{ manager: RunningManager; said: Up }> {
  const manager = startManager(environment, [
    'fleet',
    'up',
    '--port',
    '0',
    '--data',
    data,
    '--json',
    ...flags,
  ]);
  onTestFinished(async () => {
    manager.child.kill('SIGTERM');
    await manager.ran;
  });
  const said = await new Promise<Up>((resolve, reject) => {
    manager.child.stdout?.once('data', (text: string) => resolve(JSON.parse(text)));
    manager.ran.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
  return { manager, said };
}

async function connectAs({ url, hosts }: Up, name: string): Promise<NatsConnection> {
  const file = hosts.find((one) => one.name === name)?.credentials_file ?? '';
  const seed = new TextEncoder().encode(seedIn(readFileSync(file, 'utf8')) ?? '');
  const options = {
    authenticator: nkeyAuthenticator(seed),
    inboxPrefix: inboxPrefix(name),
    reconnect: false,
  };
  const connection = await connect({ servers: url, ...options });
  onTestFinished(() => connection.close());
  return connection;
}

test('it serves until Ctrl-C with a key for each host, and the next start has keys and streams of before', async () => {
  const here = machine('data "of" \\ $HOME, übrig');
  here.install();
  const own = usualHostName(hostname());
  const first = await up(here, '--host', 'ws1');
  expect(first.said.hosts.map(({ name, made }) => [name, made])).toEqual(
    [own, 'ws1'].sort().map((name) => [name, true]),
  );
  const before = await connectAs(first.said, 'ws1');
  const manager = await jetstreamManager(before);
  await manager.streams.add({ name: streams.events, subjects: ['houmao.evt.*'] });
  await jetstream(before).publish(eventSubject('ws1'), 'kept');
  first.manager.child.kill('SIGINT');
  expect(await first.manager.ran).toMatchObject({ code: 0, stderr: '' });
  expect(identify(first.said.pid)).toBeNull();

  const second = await up(here, '--host', 'ws2');
  expect(second.said.hosts.filter(({ made }) => made).map(({ name }) => name)).toEqual(['ws2']);
  const after = await jetstreamManager(await connectAs(second.said, own));
  expect((await after.streams.info(streams.events)).state.messages).toBe(1);
});

test('people read where it serves, and the command by which each host joins', async () => {
  const here = machine();
  here.install();
  const manager = startManager(here.environment, ['fleet', 'up', '--port', '0', '--host', 'ws1']);
  await new Promise((resolve) => manager.child.stdout?.once('data', resolve));
  manager.child.kill('SIGTERM');
  const { code, stdout, stderr } = await manager.ran;
  expect([code, stderr]).toEqual([0, 'NATS has stopped.\n']);
  const url = /nats:\/\/127\.0\.0\.1:\d+/.exec(stdout)?.[0];
  const key = join(here.folder, 'runtime', 'houmao_fleet', 'ws1.nk');
  expect(stdout).toContain(` fleet join ${url} --credentials ${key} --host-name ws1`);
  expect(existsSync(key)).toBe(true);
});

test('a second one of the same folder is refused with the pid, also where the first was killed and left its server', async () => {
  const here = machine();
  here.install();
  const { manager, said } = await up(here);
  const refused = async () => {
    const again = ['fleet', 'up', '--port', '0', '--data', here.data, '--json'];
    const { code, stderr } = await manage(here.environment, again);
    const { error_code, detail, remedies } = JSON.parse(stderr);
    expect([code, error_code, detail]).toEqual([1, 'fleet_is_up', expect.stringContaining(said.url)]);
    return remedies[0].command;
  };
  expect(await refused()).toBe(`kill ${manager.child.pid}`);
  manager.child.kill('SIGKILL');
  await manager.ran;
  expect(await refused()).toBe(`kill ${said.pid}`);
  process.kill(said.pid, 'SIGTERM');
  await expect.poll(() => identify(said.pid)).toBeNull();
  expect((await up(here)).said.pid).not.toBe(said.pid);
});

test('another host is let in while it runs, by the command that a second start names', async () => {
  const here = machine();
  here.install();
  const { said } = await up(here);
  const again = await manage(here.environment, ['fleet', 'up', '--data', here.data, '--json']);
  const command: string = JSON.parse(again.stderr).remedies[1].command;
  const [, add = '', pid] = /^\S*houmao-mgr (.*) && kill -HUP (\d+)$/.exec(command) ?? [];
  const added = await manage(here.environment, [...add.replace('NAME', 'ws9').split(' '), '--json']);
  process.kill(Number(pid), 'SIGHUP');
  const { hosts } = JSON.parse(added.stdout);
  await expect.poll(() => connectAs({ ...said, hosts }, 'ws9').then(() => 'in', String)).toBe('in');
});

test('a server that ends by itself is a failure', async () => {
  const here = machine();
  here.install();
  const { manager, said } = await up(here);
  process.kill(said.pid, 'SIGKILL');
  const { code, stderr } = await manager.ran;
  expect([code, JSON.parse(stderr).error_code]).toEqual([1, 'nats_server_ended']);
});

test('a port that is taken is named, and nothing is made', async () => {
  const here = machine();
  here.install();
  const other = createServer();
  const port = await listening(other);
  onTestFinished(() => void other.close());
  const args = ['fleet', 'up', '--port', String(port), '--data', here.data, '--host', 'ws1', '--json'];
  const { code, stderr } = await manage(here.environment, args);
  const { error_code, detail } = JSON.parse(stderr);
  expect([code, error_code, detail]).toEqual([1, 'port_taken', expect.stringContaining(String(port))]);
  expect(existsSync(join(here.data, 'ws1.nk'))).toBe(false);
});

/** A program that answers as a nats-server does when asked for its version. */
function fake({ programs }: Machine, script: string): string {
  const path = join(programs, 'nats-server');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

test.each([
  ['no nats-server', () => [], 1, 'no_nats_server'],
  ['a --binary that is not there', () => ['--binary', '/none/nats-server'], 2, 'no_nats_server'],
  [
    'an older version',
    (here: Machine) => ['--binary', fake(here, 'echo nats-server: v2.9.10')],
    1,
    'nats_server_too_old',
  ],
  ['another program', (here: Machine) => ['--binary', fake(here, 'echo Hello')], 1, 'no_nats_server'],
  [
    'a program that cannot be asked',
    (here: Machine) => ['--binary', fake(here, 'exit 3')],
    1,
    'no_nats_server',
  ],
  [
    'a server that does not start',
    (here: Machine) => [
      '--binary',
      fake(here, '[ "$1" = --version ] && echo nats-server: v2.15.1 && exit; echo no luck >&2; exit 7'),
    ],
    1,
    'nats_server_failed',
  ],
])('%s is refused with a remedy', async (_name, flagsFor, exitCode, errorCode) => {
  const here = machine();
  const node = join(process.execPath, '..');
  const environment = { ...here.environment, PATH: [here.programs, node].join(delimiter) };
  const flags = flagsFor(here);
  const args = ['fleet', 'up', '--port', '0', '--data', here.data, '--json', ...flags];
  const { code, stdout, stderr } = await manage(environment, args);
  expect([code, stdout, JSON.parse(stderr).error_code]).toEqual([exitCode, '', errorCode]);
  expect(JSON.parse(stderr).detail).toMatch(errorCode === 'nats_server_failed' ? /no luck/ : /2\.11\.0/);
});

test.each([
  ['--host', 'A_B'],
  ['--port', '70000'],
])('%s %s is bad usage', async (flag, value) => {
  const here = machine();
  const { code } = await manage(here.environment, [
    'fleet',
    'up',
    '--data',
    here.data,
    flag,
    value,
    '--json',
  ]);
  expect([code, existsSync(here.data)]).toEqual([2, false]);
});
