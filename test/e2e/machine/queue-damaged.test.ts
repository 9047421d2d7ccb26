import {
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { call, waitFinal } from '../../support/http.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { accepted, doctor, expectEachOnce, expectFault, startAndFail } from './promises.js';

let session: TestSession;
let gateway: GatewayProcess;
beforeEach(async () => {
  session = await makeSession();
});
afterEach(() => session.remove());

/** A queue with finished rows and one that waits, all of it in the file itself. */
async function settledQueue(): Promise<{ waiting: string; whole: Buffer }> {
  gateway = await startGateway(session);
  for (const n of [1, 2, 3])
    await waitFinal(gateway.url, await accepted(gateway, `${n} ${'long '.repeat(4000)}`));
  await call(gateway.url, 'PUT', '/v1/control/queue', { paused: true });
  const waiting = await accepted(gateway, 'survives');
  expect(await gateway.stop()).toBe(0);
  return { waiting, whole: readFileSync(session.paths.queue) };
}

test.each([['a truncated file', (path: string) => truncateSync(path, statSync(path).size / 2)]])(
  '%s at the start: exit 1 with path and remedy, left as it is; restored, it goes on',
  async (_how, damage) => {
    const { waiting, whole } = await settledQueue();
    const { queue } = session.paths;
    damage(queue);
    const damaged = readFileSync(queue);
    const refused = await startAndFail(session);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toMatch(
      /^\S+ houmao-gateway: \S+queue\.sqlite: [^\n]+; move it aside to start with an empty queue, or restore it from a backup\n$/,
    );
    expect(readFileSync(queue).equals(damaged)).toBe(true);
    expect(await doctor(session)).toMatch(/FAILED {3}queue: .*\n.*Move it aside .*queue\.sqlite/);
    writeFileSync(queue, whole);
    gateway = await startGateway(session);
    await call(gateway.url, 'PUT', '/v1/control/queue', { paused: false });
    await expectEachOnce(gateway, session.ledger, [waiting], ['survives']);
    expect(await gateway.stop()).toBe(0);
  },
);

test.each([
  ['pages of garbage in the middle', (path: string) => overwrite(path, 8192, statSync(path).size - 8192)],
  ['a file cut short', (path: string) => truncateSync(path, 4096)],
])(
  '%s while running: noticed, nothing more is written; restored, a new start goes on',
  async (_how, damage) => {
    const { waiting, whole } = await settledQueue();
    const { queue } = session.paths;
    gateway = await startGateway(session);
    const copy = `${queue}.backup`;
    copyFileSync(queue, copy);
    damage(queue);
    // Pages that are in memory are not missed; reading the others shows the damage.
    await call(gateway.url, 'GET', '/v1/requests?limit=200');
    await expectFault(gateway, 'damaged', queue);
    expect(await doctor(session)).toContain('Stop the gateway, restore the file from a backup or recover it');
    expect((await call(gateway.url, 'GET', '/v1/requests?limit=200')).status).not.toBe(500);
    const size = statSync(queue).size;
    await gateway.stop();
    expect(statSync(queue).size).toBe(size);
    for (const suffix of ['-wal', '-shm']) rmSync(queue + suffix, { force: true });
    writeFileSync(queue, whole);
    rmSync(copy);
    gateway = await startGateway(session);
    await call(gateway.url, 'PUT', '/v1/control/queue', { paused: false });
    await expectEachOnce(gateway, session.ledger, [waiting], ['survives']);
    expect(await gateway.stop()).toBe(0);
  },
);

function overwrite(path: string, from: number, length: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(length, 0xa5), 0, length, from);
  closeSync(file);
}
