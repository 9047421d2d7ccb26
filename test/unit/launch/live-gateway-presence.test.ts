import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { GatewayPresence } from '../../../src/launch/live-gateway.js';
import { publishCurrentInstance } from '../../../src/session/current-instance.js';
import { type SessionPaths, sessionPaths } from '../../../src/session/session-paths.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

let paths: SessionPaths;
let presence: GatewayPresence;
const started: ReturnType<typeof spawn>[] = [];

beforeEach(() => {
  paths = sessionPaths(temporaryFolder());
  presence = new GatewayPresence(paths);
});
afterAll(async () => {
  for (const child of started.filter(
    ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
  )) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

/** A process with the command line of a gateway of a session. */
async function gatewayOf(root: string) {
  const waiting = 'process.stdout.write("up"); setInterval(() => undefined, 1000)';
  const child = spawn(process.execPath, ['-e', waiting, '--', '--gateway-root', root]);
  started.push(child);
  await once(child.stdout, 'data');
  return child;
}
const publish = (pid: number) =>
  publishCurrentInstance(paths, {
    schema_version: 1,
    protocol_version: 'v1',
    pid,
    host: '127.0.0.1',
    port: 4000,
    execution_mode: 'detached_process',
    managed_agent_instance_epoch: 1,
    managed_agent_instance_id: null,
  });

test('there is none where nothing is published, or something that is no record', () => {
  expect(presence.isPresent).toBe(false);
  publish(process.pid);
  writeFileSync(paths.currentInstance, '{"pid": ');
  expect(presence.isPresent).toBe(false);
});

test('a gateway of the session is there until it is killed, although its record stays', async () => {
  const gateway = await gatewayOf(paths.root);
  publish(gateway.pid ?? 0);
  expect([presence.isPresent, presence.isPresent]).toEqual([true, true]);
  gateway.kill('SIGKILL');
  await once(gateway, 'exit');
  expect(presence.isPresent).toBe(false);
  const next = await gatewayOf(paths.root);
  publish(next.pid ?? 0);
  expect(presence.isPresent).toBe(true);
});

test('one that has taken its record away is not there, even while its process still ends', async () => {
  const gateway = await gatewayOf(paths.root);
  publish(gateway.pid ?? 0);
  expect(presence.isPresent).toBe(true);
  rmSync(paths.currentInstance);
  expect(presence.isPresent).toBe(false);
});

test('a process that is no gateway of the session counts for nothing', async () => {
  publish(process.pid);
  expect(presence.isPresent).toBe(false);
  const other = await gatewayOf(temporaryFolder());
  publish(other.pid ?? 0);
  expect(presence.isPresent).toBe(false);
});
