import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withoutTime } from '../../../src/foundation/program-line.js';
import { managedHost, startManagedServer } from '../../support/managed-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { serverProgram } from '../../support/test-session.js';

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the program to its end. */
function run(folder: string, ...args: string[]): Ended {
  try {
    const { environment } = managedHost(folder);
    const options = { env: environment, encoding: 'utf8', stdio: 'pipe', timeout: 20_000 } as const;
    return { code: 0, stdout: execFileSync(process.execPath, [serverProgram, ...args], options), stderr: '' };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string };
    return { code: status, stdout, stderr };
  }
}

describe('a server', () => {
  test('answers its health, and says which process serves, in its file as over HTTP', async () => {
    const folder = temporaryFolder();
    // Node 24 warns of more than older ones; asked to, they do, too.
    const environment = { NODE_PENDING_DEPRECATION: '1' };
    const server = await startManagedServer(managedHost(folder), folder, { environment });
    const { status, body } = await server.ask('GET', '/health');
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'ok',
      service: 'cli-agent-orchestrator',
      houmao_service: 'houmao-server',
    });
    const record = JSON.parse(readFileSync(server.paths.currentInstance, 'utf8'));
    expect(record).toEqual({
      schema_version: 1,
      status: 'ok',
      pid: server.child.pid,
      api_base_url: server.url,
      server_root: server.paths.root,
      started_at_utc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
    });
    expect(readFileSync(server.paths.pid, 'utf8')).toBe(`${server.child.pid}\n`);
    for (const _again of [1, 2])
      expect((await server.ask('GET', '/houmao/server/current-instance')).body).toEqual(record);
    expect(await server.stop()).toBe(0);
    expect(server.stderr()).toBe('');
  });

  test('ends when it is asked to over HTTP, after its answer', async () => {
    const folder = temporaryFolder();
    const server = await startManagedServer(managedHost(folder), folder);
    const ended = new Promise((resolve) => server.child.once('exit', resolve));
    const { status, body } = await server.ask('POST', '/houmao/server/shutdown');
    expect([status, body]).toEqual([200, { success: true }]);
    expect(await ended).toBe(0);
    expect(server.stderr()).toBe('');
  });

  test('has its root for itself: a second one says who has it, and changes nothing', async () => {
    const folder = temporaryFolder();
    const server = await startManagedServer(managedHost(folder), folder);
    const before = readFileSync(server.paths.currentInstance, 'utf8');
    const second = run(folder, '--root', server.paths.root, '--port', '0');
    expect({ ...second, stderr: withoutTime(second.stderr) }).toEqual({
      code: 4,
      stdout: '',
      stderr: `houmao-server: another server serves ${server.paths.root} (pid ${server.child.pid}, ${server.url}); stop it first (houmao-mgr server stop)\n`,
    });
    expect(readFileSync(server.paths.currentInstance, 'utf8')).toBe(before);
    expect((await server.ask('GET', '/health')).status).toBe(200);
    await server.stop();
  });

  test('starts again where one was killed', async () => {
    const folder = temporaryFolder();
    const host = managedHost(folder);
    const first = await startManagedServer(host, folder);
    await first.kill();
    const second = await startManagedServer(host, folder);
    const record = JSON.parse(readFileSync(second.paths.currentInstance, 'utf8'));
    expect(record).toMatchObject({ pid: second.child.pid, api_base_url: second.url });
    expect(await second.stop()).toBe(0);
  });

  test('keeps its files from others', async () => {
    const folder = temporaryFolder();
    const server = await startManagedServer(managedHost(folder), folder);
    await server.ask('GET', '/houmao/agents');
    await server.stop();
    const { root } = server.paths;
    const below = readdirSync(root, { recursive: true, encoding: 'utf8' });
    expect(below).toEqual(expect.arrayContaining(['access-token', 'run/current-instance.json', 'state']));
    for (const name of ['', ...below]) {
      const status = statSync(join(root, name));
      expect([name, (status.mode & 0o777).toString(8)]).toEqual([name, status.isDirectory() ? '700' : '600']);
    }
  });
});

describe('a server that cannot start says why', () => {
  test('and exits 3 when its port is taken', async () => {
    const folder = temporaryFolder();
    const server = await startManagedServer(managedHost(folder), folder);
    const { code, stderr } = run(folder, '--root', join(folder, 'other'), '--port', String(server.port));
    expect(code).toBe(3);
    expect(withoutTime(stderr)).toBe(
      `houmao-server: cannot listen: another program has port ${server.port} of 127.0.0.1; choose another --port, or 0 for any free one\n`,
    );
    await server.stop();
  });

  test('and exits 2 for what its command line cannot mean', () => {
    const folder = temporaryFolder();
    for (const args of [
      ['--host', 'example.com'],
      ['--port', '70000'],
      ['--allowed-origin', 'x'],
      ['more'],
    ]) {
      const { code, stderr } = run(folder, ...args);
      expect([args, code]).toEqual([args, 2]);
      expect(stderr).toContain('(houmao-server --help shows every flag)');
    }
  });

  test('and exits 1 when its root cannot be used', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const { code, stderr } = run(folder, '--root', join(file, 'server'), '--port', '0');
    expect([code, withoutTime(stderr)]).toEqual([1, expect.stringContaining(`${file} is a file`)]);
  });
});

test('--help names every flag, --version the release', () => {
  const folder = temporaryFolder();
  const { code, stdout } = run(folder, '--help');
  expect(code).toBe(0);
  for (const flag of ['--root', '--host', '--port', '--allowed-host', '--allowed-origin', '--allowed-user'])
    expect(stdout).toContain(flag);
  expect(run(folder, '--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
