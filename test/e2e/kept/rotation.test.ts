import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { filesAside } from '../../../src/foundation/set-aside.js';
import { readManifest } from '../../../src/session/manifest.js';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { call } from '../../support/http.js';
import { manage, startManager } from '../../support/manager.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { expectedLines, linesOf } from '../recovery/evidence.js';

let session: TestSession;
let gateway: GatewayProcess;
beforeEach(async () => {
  session = await makeSession();
});
afterEach(() => session.remove());

const small = ['--log-size', '2K', '--log-files', '1000'];
const start = async (flags: readonly string[] = small): Promise<void> => {
  gateway = await startGateway(session, { flags });
};
const paused = (is: boolean) => call(gateway.url, 'PUT', '/v1/control/queue', { paused: is });
/** Makes some hundred bytes of events. */
const toggle = async (times: number): Promise<void> => {
  for (let n = 0; n < times; n += 1) {
    await paused(true);
    await paused(false);
  }
};
const allLines = (path: string): string[] => [...filesAside(path).reverse(), path].flatMap(linesOf);
const isAside = (path: string, count: number) =>
  expect.poll(() => filesAside(path).length).toBeGreaterThanOrEqual(count);

test('over kills while files are set aside, every line of both files is there once, in order', async () => {
  for (let round = 0; round < 6; round += 1) {
    await start();
    const before = filesAside(session.paths.events).length;
    await toggle(20);
    // The files are set aside a second after the first of these; the kills come before, while and after that happens.
    if (round % 3 === 1) await isAside(session.paths.events, before + 1);
    if (round % 3 === 2) await isAside(session.paths.log, 1);
    await gateway.kill();
  }
  await start();
  await toggle(20);
  await isAside(session.paths.events, 3);
  expect(await gateway.stop()).toBe(0);
  const { events, log } = expectedLines(session.paths);
  expect(allLines(session.paths.events)).toEqual(events);
  expect(allLines(session.paths.log)).toEqual(log);
  expect(linesOf(session.paths.events).length).toBeLessThan(events.length);
});

test('tail -F, and agents logs --follow, see every line while the files are set aside', async () => {
  await start();
  const tail = spawn('tail', ['-F', '-n', '+1', session.paths.events], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const name = readManifest(session.paths.manifest).agent_name ?? '';
  const following = startManager(session.environment, [
    'agents',
    'logs',
    name,
    '--follow',
    '--lines',
    '1000',
  ]);
  const seen: string[] = [];
  const followed: string[] = [];
  createInterface(tail.stdout).on('line', (line) => void seen.push(line));
  if (following.child.stdout)
    createInterface(following.child.stdout).on('line', (line) => void followed.push(line));
  onTestFinished(() => {
    tail.kill();
    following.child.kill();
  });
  for (let count = 1; count <= 3; count += 1) {
    await toggle(12);
    await isAside(session.paths.events, count);
  }
  await toggle(1);
  expect(await gateway.stop()).toBe(0);
  const { events, log } = expectedLines(session.paths);
  await expect.poll(() => seen).toEqual(events);
  await expect.poll(() => followed).toEqual(log);
  tail.kill();
  following.child.kill('SIGINT');
  expect((await following.ran).code).toBe(130);
  const shown = await manage(session.environment, ['agents', 'logs', name, '--lines', '1000']);
  expect(shown.stdout.split('\n').slice(0, -1)).toEqual(log);
  expect(linesOf(session.paths.log).length).toBeLessThan(log.length);
});

test('files aside beyond --log-files are deleted, the oldest first', async () => {
  await start(['--log-size', '2K', '--log-files', '2']);
  for (let count = 1; count <= 4; count += 1) {
    const [youngest] = linesOf(`${session.paths.events}.1`);
    await toggle(12);
    await expect.poll(() => linesOf(`${session.paths.events}.1`)[0]).not.toBe(youngest);
  }
  expect(filesAside(session.paths.events).length).toBe(2);
  expect(await gateway.stop()).toBe(0);
});

test('what the process says itself goes into the log also after the file that it was opened with was set aside', async () => {
  const { environment, paths } = session;
  const name = readManifest(paths.manifest).agent_name ?? '';
  const attached = await manage(environment, ['agents', 'gateway', 'attach', name, ...small, '--json']);
  const { gateway_url: url } = JSON.parse(attached.stdout);
  const toggled = async () => {
    for (const is of [true, false]) await call(url, 'PUT', '/v1/control/queue', { paused: is });
  };
  for (let n = 0; n < 20; n += 1) await toggled();
  await isAside(paths.log, 1);
  rmSync(paths.state);
  mkdirSync(paths.state);
  await toggled();
  const said = () =>
    linesOf(paths.log).filter((line) => line.includes('houmao-gateway: ') && line.includes(paths.state));
  await expect.poll(() => said().length).toBe(1);
  rmSync(paths.state, { recursive: true });
  expect((await manage(environment, ['agents', 'gateway', 'detach', name])).code).toBe(0);
});
