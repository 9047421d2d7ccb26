// `houmao-mgr fleet credentials`, and a real NATS server with what it writes.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { natsServer } from '../../../scripts/tools/nats-server.mjs';
import { manage, managerEnvironment, type Ran } from '../../support/manager.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** A machine with nothing on it. */
function machine() {
  const folder = temporaryFolder();
  const environment = managerEnvironment(folder);
  const credentials = (...args: string[]): Promise<Ran> =>
    manage(environment, ['fleet', 'credentials', ...args]);
  return { folder, environment, out: join(folder, 'my fleet'), credentials };
}

/** @returns the exit code of the server that reads a configuration */
const read = (path: string): number | null =>
  spawnSync(natsServer(console.log), ['-t', '-c', path], { encoding: 'utf8' }).status;

test('keys and configuration are written, and another host is added later without a change of the rest', async () => {
  const { out, credentials } = machine();
  const tls = ['--tls-cert', '/etc/nats/cert.pem', '--tls-key', '/etc/nats/key.pem'];
  const first = await credentials(
    '--host',
    'ws1',
    '--host',
    'ws2',
    '--out',
    out,
    '--listen',
    '0.0.0.0',
    ...tls,
  );
  expect([first.code, first.stderr.trim().split('\n').length]).toEqual([0, 2]);
  expect(readdirSync(out).sort()).toEqual(['hosts.conf', 'nats-server.conf', 'ws1.nk', 'ws2.nk']);
  for (const name of ['ws1', 'ws2'])
    expect(first.stdout).toContain(
      `houmao-mgr fleet join tls://MACHINE:4222 --credentials ${name}.nk --host-name ${name}`,
    );
  const before = ['nats-server.conf', 'ws1.nk', 'ws2.nk'].map((name) =>
    readFileSync(join(out, name), 'utf8'),
  );
  expect(before[0]).toContain('cert_file: "/etc/nats/cert.pem"');
  const second = await credentials('--host', 'ws2', '--host', 'ws3', '--out', out, '--json');
  const { hosts, configuration_file, configuration } = JSON.parse(second.stdout);
  expect([second.stderr, configuration, configuration_file]).toEqual([
    '',
    null,
    join(out, 'nats-server.conf'),
  ]);
  expect(hosts.map(({ name, made }: { name: string; made: boolean }) => [name, made])).toEqual([
    ['ws1', false],
    ['ws2', false],
    ['ws3', true],
  ]);
  const after = ['nats-server.conf', 'ws1.nk', 'ws2.nk'].map((name) => readFileSync(join(out, name), 'utf8'));
  expect(after).toEqual(before);
  const listed = readFileSync(join(out, 'hosts.conf'), 'utf8');
  for (const { public_key } of hosts) expect(listed).toContain(`nkey: ${public_key}`);
});

test('a NATS server takes what is written, and what is printed', async () => {
  const { folder, environment, out, credentials } = machine();
  expect((await credentials('--host', 'ws1', '--out', out, '--listen', '127.0.0.1:5222')).code).toBe(0);
  expect(read(join(out, 'nats-server.conf'))).toBe(0);
  const printed = await credentials('--host', 'ws1', '--host', 'ws2');
  const keys = join(environment.HOUMAO_GLOBAL_RUNTIME_DIR ?? '', 'houmao_fleet');
  expect([printed.code, readdirSync(keys).sort()]).toEqual([0, ['hosts.conf', 'ws1.nk', 'ws2.nk']]);
  const path = join(folder, 'printed.conf');
  writeFileSync(path, printed.stdout);
  expect(read(path)).toBe(0);
});

test('a server that others reach without encryption is pointed out', async () => {
  const { out, credentials } = machine();
  const { code, stderr } = await credentials('--host', 'ws1', '--out', out, '--listen', '10.0.0.5:4222');
  expect([code, stderr]).toEqual([0, expect.stringContaining('connections are not encrypted')]);
});

test.each([
  ['no host', []],
  ['a name that no host can have', ['--host', 'WS_1']],
  ['half of a certificate', ['--host', 'ws1', '--tls-cert', '/etc/nats/cert.pem']],
  ['a path that is not absolute', ['--host', 'ws1', '--store', 'here']],
  ['an address that is none', ['--host', 'ws1', '--listen', 'nats://x']],
])('%s is refused, and nothing is written', async (_name, flags) => {
  const { out, credentials } = machine();
  const { code, stdout, stderr } = await credentials(...flags, '--out', out, '--json');
  expect([code, stdout, JSON.parse(stderr).error_code]).toEqual([2, '', 'usage']);
  expect(existsSync(out)).toBe(false);
});

test('settings for a configuration that is there are refused, as they would have no effect', async () => {
  const { out, credentials } = machine();
  await credentials('--host', 'ws1', '--out', out);
  const { code, stderr } = await credentials('--host', 'ws2', '--out', out, '--listen', '0.0.0.0', '--json');
  expect([code, JSON.parse(stderr).error_code]).toEqual([2, 'configuration_exists']);
  expect(existsSync(join(out, 'ws2.nk'))).toBe(false);
});

test('a key file without a key is named, and kept', async () => {
  const { out, credentials } = machine();
  mkdirSync(out);
  const file = join(out, 'ws1.nk');
  writeFileSync(file, 'SUnothing\n');
  const { code, stderr } = await credentials('--host', 'ws1', '--out', out, '--json');
  const { error_code, detail } = JSON.parse(stderr);
  expect([code, error_code, detail]).toEqual([1, 'unusable_file', expect.stringContaining(file)]);
  expect([readFileSync(file, 'utf8'), readdirSync(out)]).toEqual(['SUnothing\n', ['ws1.nk']]);
});
