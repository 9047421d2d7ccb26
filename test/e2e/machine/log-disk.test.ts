import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { filesAside } from '../../../src/foundation/set-aside.js';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { call, waitFinal } from '../../support/http.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { expectedLines, linesOf } from '../recovery/evidence.js';
import { ownDisk, smallDisk } from './own-disk.js';
import { accepted, expectFault, expectRecovery } from './promises.js';

let session: TestSession;
let gateway: GatewayProcess;
beforeEach(async () => {
  session = await makeSession();
});
afterEach(() => session.remove());

const start = async (through: readonly string[]): Promise<void> => {
  gateway = await startGateway(session, { through, flags: ['--log-size', '2K', '--log-files', '1000'] });
};
const toggle = async (times: number): Promise<void> => {
  for (let n = 0; n < times; n += 1)
    for (const paused of [true, false]) await call(gateway.url, 'PUT', '/v1/control/queue', { paused });
};
const allLines = (path: string): string[] => [...filesAside(path).reverse(), path].flatMap(linesOf);

test('a full disk of the log while it is set aside: prompts are taken, it is said once, and no line is missing with room', async () => {
  const folder = dirname(session.paths.log);
  mkdirSync(folder, { recursive: true });
  const disk = await smallDisk(folder, 1);
  const seen = join(disk.seen, basename(session.paths.log));
  try {
    await start(disk.through);
    await toggle(3);
    disk.fill();
    // The rest of the file's last page takes it over its size; the new file gets no page.
    await toggle(20);
    await expect.poll(() => filesAside(seen).length).toBe(1);
    const id = await accepted(gateway, 'taken with a full disk');
    expect(await waitFinal(gateway.url, id)).toMatchObject({ state: 'completed' });
    await expect.poll(gateway.stderr).toContain(`${session.paths.log} could not be written`);
    disk.makeRoom();
    await toggle(3);
    const { body } = await call(gateway.url, 'GET', '/v1/control/queue');
    expect(body.fault).toBeNull();
    expect(await gateway.stop()).toBe(0);
    expect(gateway.stderr().split('could not be written').length).toBe(2);
    expect(allLines(seen)).toEqual(expectedLines(session.paths).log);
  } finally {
    disk.remove();
  }
});

test('a full disk of the whole session while both files are set aside: with room everything goes on, each line once', async () => {
  const disk = await ownDisk(session, 16);
  try {
    await start(disk.through);
    await toggle(8);
    disk.fill();
    await expectFault(gateway, 'disk_full', session.paths.gateway);
    disk.makeRoom();
    await expectRecovery(gateway);
    await toggle(20);
    await expect.poll(() => filesAside(disk.paths.events).length).toBeGreaterThan(0);
    expect(await gateway.stop()).toBe(0);
    const copy = join(session.folder, 'queue.copy');
    copyFileSync(disk.paths.queue, copy);
    const { events, log } = expectedLines({ ...disk.paths, queue: copy });
    expect(allLines(disk.paths.events)).toEqual(events);
    expect(allLines(disk.paths.log)).toEqual(log);
  } finally {
    disk.remove();
  }
});
