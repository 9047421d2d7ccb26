import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readManifest } from '../../../src/session/manifest.js';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { call, waitFinal } from '../../support/http.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { expectedLines, heldAgent, linesOf, takenPrompts } from '../recovery/evidence.js';
import { type OwnDisk, ownDisk } from './own-disk.js';
import {
  accepted,
  confirmed,
  expectEachOnce,
  expectFault,
  expectRecovery,
  startAndFail,
  threeAccepted,
} from './promises.js';

let session: TestSession;
let disk: OwnDisk;
let gateway: GatewayProcess;
beforeEach(async () => {
  session = await makeSession();
  disk = await ownDisk(session, 16);
});
afterEach(() => {
  disk.remove();
  session.remove();
});

const start = () => startGateway(session, { through: disk.through });
const ledger = () => (existsSync(session.ledger) ? readFileSync(session.ledger, 'utf8') : '');

/** Fills the disk while the agent works on a prompt; what it prints has its room. @returns has it go on */
async function fillAt(words: string): Promise<() => void> {
  const goOn = await heldAgent(session.ledger, words);
  const kept = ['fallocate', '--keep-size', '--length', '64KiB'];
  disk.run('find', session.paths.root, '-name', 'stdout.jsonl', '-exec', ...kept, '{}', ';');
  disk.fill();
  await expectFault(gateway, 'disk_full', session.paths.gateway);
  return goOn;
}

/** Queues a prompt and fills the disk while the agent works on it. @returns its id. */
async function fillWhile(prompt: string): Promise<string> {
  const id = await accepted(gateway, prompt);
  await confirmed(gateway, id);
  const goOn = await fillAt(prompt);
  goOn();
  return id;
}

test('a full disk: nothing is taken, what runs ends and is noted with room, the files are caught up', async () => {
  gateway = await start();
  const { ids, prompts } = await threeAccepted(gateway);
  await confirmed(gateway, ids[0]);
  const goOn = await fillAt('runs');
  const direct = await call(gateway.url, 'POST', '/v1/control/prompt', {
    prompt: 'never taken',
    force: true,
  });
  expect([direct.status, direct.body.detail.error_code]).toEqual([503, 'unavailable']);
  goOn();
  await expect.poll(ledger).toContain('"done"');
  const waiting = (await call(gateway.url, 'GET', `/v1/requests/${ids[1]}`)).body;
  expect(waiting).toMatchObject({ state: 'accepted', waiting_reason: { code: 'unavailable' } });
  expect(waiting.waiting_reason.detail).toContain('disk is full');
  disk.makeRoom();
  await expectRecovery(gateway);
  await expectEachOnce(gateway, session.ledger, ids, prompts);
  const { turn } = (await call(gateway.url, 'GET', `/v1/requests/${ids[0]}`)).body;
  expect(turn).toMatchObject({ outcome: 'completed', delivery: { state: 'confirmed' } });
  await expect
    .poll(() => JSON.parse(readFileSync(disk.paths.state, 'utf8')))
    .toMatchObject({ request_admission: 'open', queue_depth: 0 });
  expect(await gateway.stop()).toBe(0);
  // SQLite would follow the link to the mount's root out of it.
  const copy = join(session.folder, 'queue.copy');
  copyFileSync(disk.paths.queue, copy);
  const { events, log } = expectedLines({ ...disk.paths, queue: copy });
  expect(linesOf(disk.paths.events)).toEqual(events);
  expect(linesOf(disk.paths.log)).toEqual(log);
  expect(log.join()).toMatch(/queue\.sqlite could not be stored since \S+ \(disk_full\); now it can/);
});

test('a disk with little room left counts as full: the end of what runs needs some', async () => {
  gateway = await start();
  await call(gateway.url, 'PUT', '/v1/control/queue', { paused: true });
  const id = await accepted(gateway, 'kept');
  disk.fill(512);
  await expectFault(gateway, 'disk_full', session.paths.gateway);
  expect(gateway.stderr()).toContain('its disk is full (less than 1024 KiB free)');
  disk.fill(1536);
  await expectRecovery(gateway);
  disk.makeRoom();
  await call(gateway.url, 'PUT', '/v1/control/queue', { paused: false });
  await expectEachOnce(gateway, session.ledger, [id], ['kept']);
  expect(await gateway.stop()).toBe(0);
});

test('the conversation of a turn that ends on a full disk is pinned with room, and goes on', async () => {
  gateway = await start();
  const first = await fillWhile('[[slow=2000]] begins');
  await expect.poll(gateway.stderr).toContain('could not be pinned');
  expect(readManifest(disk.paths.manifest).headless).toMatchObject({ session_id: null, turn_index: 0 });
  disk.makeRoom();
  await expectRecovery(gateway);
  expect(await waitFinal(gateway.url, first)).toMatchObject({ state: 'completed' });
  const { body } = await call(gateway.url, 'POST', '/v1/requests', {
    kind: 'submit_prompt',
    payload: { prompt: 'goes on', chat_session: { mode: 'current' } },
  });
  expect(await waitFinal(gateway.url, body.request_id)).toMatchObject({ state: 'completed' });
  const [begun, continued] = takenPrompts(session.ledger);
  expect(continued?.session_id).toBe(begun?.session_id);
  const pinned = { session_id: begun?.session_id, turn_index: 2 };
  await expect.poll(() => readManifest(disk.paths.manifest).headless).toMatchObject(pinned);
  expect(await gateway.stop()).toBe(0);
});

test('an interrupt on a full disk is answered by 503, and is not there later: never a 202 that is not on disk', async () => {
  gateway = await start();
  const running = await fillWhile('[[slow=60000]] fills it');
  for (let n = 0; n < 20; n += 1) {
    const { status } = await call(gateway.url, 'POST', '/v1/requests', { kind: 'interrupt', payload: {} });
    expect(status).toBe(503);
  }
  await gateway.kill();
  disk.makeRoom();
  gateway = await start();
  expect((await waitFinal(gateway.url, running)).state).toBe('failed');
  const { requests } = (await call(gateway.url, 'GET', '/v1/requests')).body;
  expect(requests.map(({ request_id: id }: { request_id: string }) => id)).toEqual([running]);
  expect(await gateway.stop()).toBe(0);
});

test('a full disk at the start: either it serves and says so, or one line and exit 1; with room it starts', async () => {
  gateway = await start();
  await call(gateway.url, 'PUT', '/v1/control/queue', { paused: true });
  const id = await accepted(gateway, 'kept');
  expect(await gateway.stop()).toBe(0);
  disk.fill();
  const refused = await startAndFail(session, disk.through);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /^\S+ houmao-gateway: \/\S+: [^\n]*disk is full[^\n]*; make room on i[^\n]+\n$/,
  );
  disk.makeRoom();
  gateway = await start();
  await call(gateway.url, 'PUT', '/v1/control/queue', { paused: false });
  await expectEachOnce(gateway, session.ledger, [id], ['kept']);
  expect(await gateway.stop()).toBe(0);
});

test('a root that is read-only at the start: one line with path and remedy, exit 1; writable, it starts', async () => {
  gateway = await start();
  await call(gateway.url, 'PUT', '/v1/control/queue', { paused: true });
  const id = await accepted(gateway, 'kept');
  expect(await gateway.stop()).toBe(0);
  disk.run('mount', '-o', 'remount,ro', session.paths.root);
  const refused = await startAndFail(session, disk.through);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /^\S+ houmao-gateway: \/\S+: its file system [^\n]*; make it writable again[^\n]*\n$/,
  );
  disk.run('mount', '-o', 'remount,rw', session.paths.root);
  gateway = await start();
  await call(gateway.url, 'PUT', '/v1/control/queue', { paused: false });
  await expectEachOnce(gateway, session.ledger, [id], ['kept']);
  expect(await gateway.stop()).toBe(0);
});

test('a root that becomes read-only while running: what waits waits, and goes on with it', async () => {
  gateway = await start();
  const { ids, prompts } = await threeAccepted(gateway);
  await confirmed(gateway, ids[0]);
  const goOn = await heldAgent(session.ledger, 'runs');
  // A file system with open files cannot be made read-only by hand; seen through a new mount it is.
  disk.run('mount', '--bind', session.paths.root, session.paths.root);
  disk.run('mount', '-o', 'remount,bind,ro', session.paths.root);
  await expectFault(gateway, 'read_only', session.paths.gateway);
  goOn();
  await expect.poll(ledger).toContain('"done"');
  disk.run('umount', session.paths.root);
  await expectRecovery(gateway);
  await expectEachOnce(gateway, session.ledger, ids, prompts);
  expect(await gateway.stop()).toBe(0);
});
