import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { toJsonFile } from '../../../src/foundation/json-text.js';
import { identify, isAlive } from '../../../src/foundation/processes.js';
import { freePort } from '../../support/free-port.js';
import { call } from '../../support/http.js';
import { manage, managerEnvironment, type Ran, startManager } from '../../support/manager.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** A host of its own, and its `houmao-mgr server`. */
function hostOf(): { folder: string; root: string; server(...args: string[]): Promise<Ran> } {
  const folder = temporaryFolder();
  const environment = managerEnvironment(folder);
  const root = join(folder, 'server');
  const server = (...args: string[]): Promise<Ran> =>
    manage(environment, ['server', ...args, '--root', root, '--port', '0']);
  onTestFinished(async () => void (await server('stop')));
  return { folder, root, server };
}

const reported = ({ stdout }: Ran) => JSON.parse(stdout);

/** Its servers are at the places that are usual for their ports. */
function hostOfSeveral(): (...args: string[]) => Promise<Ran> {
  const environment = managerEnvironment(temporaryFolder());
  const server = (...args: string[]): Promise<Ran> => manage(environment, ['server', ...args]);
  onTestFinished(async () => {
    const { others, ...first } = reported(await server('status', '--json'));
    for (const { running, server_root } of [first, ...(others ?? [])])
      if (running) await server('stop', '--root', server_root);
  });
  return server;
}

describe('houmao-mgr server', () => {
  test('at any port is found without its address, and started with the command that ends it', async () => {
    const server = hostOfSeveral();
    const port = await freePort();
    const started = await server('start', '--port', String(port));
    expect(started.stdout).toContain(`Stop it: houmao-mgr server stop --port ${port}\n`);
    expect((await server('status')).stdout).toContain(`The server serves http://127.0.0.1:${port} (pid `);
    expect(reported(await server('status', '--json'))).toMatchObject({
      success: true,
      running: true,
      api_base_url: `http://127.0.0.1:${port}`,
      others: [],
    });
    expect((await server('stop')).stdout).toMatch(/^Stopped the server of /);
    expect((await server('stop')).stdout).toMatch(/^No server is running\.\n$/);
  });

  test('of several all are listed, and which one is to end has to be said', async () => {
    const server = hostOfSeveral();
    const places = [String(await freePort()), '0'];
    for (const port of places) expect((await server('start', '--port', port)).code).toBe(0);
    const { others, ...first } = reported(await server('status', '--json'));
    const urls = [first, ...others].map(({ api_base_url }) => api_base_url);
    expect(urls).toContain(`http://127.0.0.1:${places[0]}`);
    expect(urls).toHaveLength(2);
    const { stdout } = await server('status');
    for (const url of urls) expect(stdout).toContain(`The server serves ${url} (pid `);
    const refused = await server('stop', '--json');
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    const { detail, remedies } = JSON.parse(refused.stderr);
    expect(detail).toBe('2 servers run on this host; choose one with --root.');
    for (const { command } of remedies)
      expect((await server(...command.split(' ').slice(2))).stdout).toMatch(/^Stopped the server of /);
    expect((await server('stop')).stdout).toMatch(/^No server is running/);
  });

  test('names another one that has its port', async () => {
    const server = hostOfSeveral();
    const elsewhere = hostOf();
    const { api_base_url: url, pid } = reported(await elsewhere.server('start', '--json'));
    const port = new URL(url).port;
    for (const more of [[], ['--foreground']]) {
      const { code, stderr } = await server('start', '--port', port, ...more);
      expect([code, stderr]).toEqual([
        1,
        `houmao-mgr: Another houmao-server serves at ${url} (pid ${pid}, ${elsewhere.root}).\n` +
          `  stop it               houmao-mgr server stop --root ${elsewhere.root}\n` +
          `  or use any free port  houmao-mgr server start --port 0\n`,
      ]);
    }
    expect((await server('stop', '--root', elsewhere.root)).stdout).toMatch(/^Stopped the server of /);
    expect((await server('start', '--port', port)).code).toBe(0);
  });

  test('starts a server in the background, and once', async () => {
    const { root, server } = hostOf();
    const started = await server('start', '--json');
    expect([started.code, started.stderr]).toEqual([0, '']);
    const first = reported(started);
    expect(first).toEqual({
      success: true,
      running: true,
      mode: 'detached',
      api_base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      detail: `The server serves ${first.api_base_url} (pid ${first.pid})`,
      pid: expect.any(Number),
      server_root: root,
      started_at_utc: first.current_instance.started_at_utc,
      current_instance: JSON.parse(readFileSync(join(root, 'run', 'current-instance.json'), 'utf8')),
      reused_existing: false,
      log_paths: {
        stdout: join(root, 'logs', 'houmao-server.stdout.log'),
        stderr: join(root, 'logs', 'houmao-server.stderr.log'),
      },
    });
    expect((await call(first.api_base_url, 'GET', '/health')).body.houmao_service).toBe('houmao-server');
    for (const log of Object.values<string>(first.log_paths)) expect(statSync(log).mode & 0o777).toBe(0o600);
    expect(readFileSync(first.log_paths.stdout, 'utf8')).toContain(first.api_base_url);

    const second = reported(await server('start', '--json'));
    expect(second).toMatchObject({ pid: first.pid, reused_existing: true, running: true });
    expect((await server('start')).stdout).toBe(
      `A server already serves ${root}, at ${first.api_base_url}\n`,
    );
  });

  test('says whether one serves, and ends it', async () => {
    const { root, server } = hostOf();
    const none = await server('status');
    expect([none.code, none.stdout]).toEqual([
      0,
      `No server is running for ${root}. Start one: houmao-mgr server start --root ${root} --port 0\n`,
    ]);
    const { pid, api_base_url } = reported(await server('start', '--json'));
    const process = identify(pid);
    expect(reported(await server('status', '--json'))).toMatchObject({ success: true, running: true, pid });
    expect((await server('status')).stdout).toContain(
      `The server serves ${api_base_url} (pid ${pid}) since `,
    );
    const stopped = await server('stop');
    expect([stopped.code, stopped.stdout]).toEqual([0, `Stopped the server of ${root}.\n`]);
    expect(process && isAlive(process)).toBe(false);
    expect(reported(await server('stop', '--json'))).toMatchObject({
      success: true,
      running: false,
      pid: null,
      current_instance: null,
      detail: `No server is running for ${root}`,
    });
  });

  test('says why one does not start', async () => {
    const { folder, root, server } = hostOf();
    mkdirSync(root, { mode: 0o700 });
    writeFileSync(join(root, 'access-token'), 'short', { mode: 0o600 });
    const { code, stderr } = await server('start');
    expect(code).toBe(1);
    expect(stderr).toContain(`${folder}/server/access-token: it holds no token`);
    expect(readFileSync(join(root, 'access-token'), 'utf8')).toBe('short');
  });

  test('takes no other program for the server whose pid it has', async () => {
    const { root, server } = hostOf();
    mkdirSync(join(root, 'run'), { recursive: true, mode: 0o700 });
    const record = {
      schema_version: 1,
      status: 'ok',
      pid: process.pid,
      api_base_url: 'http://127.0.0.1:1',
      server_root: root,
      started_at_utc: '2026-01-01T00:00:00+00:00',
    };
    writeFileSync(join(root, 'run', 'current-instance.json'), toJsonFile(record));
    expect((await server('stop')).stdout).toBe(`No server is running for ${root}.\n`);
    expect(reported(await server('status', '--json'))).toMatchObject({ running: false });
  });

  test('stays with the server when it is asked to, and ends with it', async () => {
    const { folder, root, server } = hostOf();
    const args = ['server', 'start', '--foreground', '--root', root, '--port', '0'];
    const manager = startManager(managerEnvironment(folder), args);
    await expect.poll(async () => reported(await server('status', '--json')).running).toBe(true);
    manager.child.kill('SIGTERM');
    expect(await manager.ran).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('houmao-server: http'),
    });
    expect(reported(await server('status', '--json'))).toMatchObject({ running: false });
  });
});
