import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { LiveGateways } from '../../../../src/server/forwarding/forwarder.js';
import { GatewayCalls, gatewayConnections } from '../../../../src/server/forwarding/gateway-calls.js';
import { publishCurrentInstance } from '../../../../src/session/current-instance.js';
import { sessionPaths } from '../../../../src/session/session-paths.js';
import { healthyGateway, refusingGateway } from '../../../support/answering-gateway.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

function gateways() {
  const connections = gatewayConnections(false);
  onTestFinished(() => connections.close());
  return { live: new LiveGateways(new GatewayCalls(connections)), paths: sessionPaths(temporaryFolder()) };
}

const ended = async (pid: number): Promise<void> => {
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => isThere(pid)).toBe(false);
};
const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('a session without a record has none', async () => {
  const { live, paths } = gateways();
  expect(await live.of(paths.root)).toBeNull();
});

test('the one that published itself and answers is it, and is asked once', async () => {
  const { live, paths } = gateways();
  const { port, pid } = await healthyGateway(paths);
  expect(await live.of(paths.root)).toEqual({ port, pid, host: '127.0.0.1' });
  const again = await live.of(paths.root);
  expect(again).toBe(await live.of(paths.root));
  live.doubt(paths.root);
  expect(await live.of(paths.root)).not.toBe(again);
});

test('one that was killed is none at once, although its record stays', async () => {
  const { live, paths } = gateways();
  const { pid } = await healthyGateway(paths);
  expect(await live.of(paths.root)).not.toBeNull();
  await ended(pid);
  expect(await live.of(paths.root)).toBeNull();
});

test('its successor is found by its record', async () => {
  const { live, paths } = gateways();
  await healthyGateway(paths);
  await live.of(paths.root);
  const { port, pid } = await healthyGateway(paths);
  expect(await live.of(paths.root)).toMatchObject({ port, pid });
  rmSync(paths.currentInstance);
  expect(await live.of(paths.root)).toBeNull();
});

test('another session’s gateway at the port is none of this one', async () => {
  const { live, paths } = gateways();
  await healthyGateway(paths, '/another/session');
  expect(await live.of(paths.root)).toBeNull();
});

test('one that refuses this caller is alive, one with a fault is not', async () => {
  const { live, paths } = gateways();
  const { port } = await refusingGateway(paths, 403, 'no');
  expect(await live.of(paths.root)).toMatchObject({ port });
  await refusingGateway(paths, 500, 'no');
  expect(await live.of(paths.root)).toBeNull();
});

test('a record of a process that takes no connections names none', async () => {
  const { live, paths } = gateways();
  const instance = await healthyGateway(paths);
  publishCurrentInstance(paths, { ...instance, port: 1 });
  expect(await live.of(paths.root)).toBeNull();
});
