import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { call, waitFinal } from '../../support/http.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { expectedLines, linesOf, storedRequests } from '../recovery/evidence.js';
import { accepted, doctor, expectEachOnce, expectFault, expectRecovery, threeAccepted } from './promises.js';

let session: TestSession;
let gateway: GatewayProcess;
beforeEach(async () => {
  session = await makeSession();
});
afterEach(() => session.remove());

test.each([
  ['its log', ['-wal']],
  ['the file and everything beside it', ['', '-wal', '-shm']],
])('%s is removed while running: written back, nothing is lost', async (_what, suffixes) => {
  gateway = await startGateway(session);
  const { queue } = session.paths;
  const { ids, prompts } = await threeAccepted(gateway);
  for (const suffix of suffixes) rmSync(queue + suffix);
  await expect.poll(gateway.stderr).toContain(`${queue}: its file was removed: nothing new is accepted`);
  await expectRecovery(gateway);
  await expectEachOnce(gateway, session.ledger, ids, prompts);
  const later = await accepted(gateway, 'after it');
  await waitFinal(gateway.url, later);
  // The queue that the next start finds is the one that counts, also after a crash.
  await gateway.kill();
  gateway = await startGateway(session);
  for (const id of [...ids, later])
    expect((await call(gateway.url, 'GET', `/v1/requests/${id}`)).body).toMatchObject({ state: 'completed' });
  expect(await gateway.stop()).toBe(0);
  const { events, log } = expectedLines(session.paths);
  expect(linesOf(session.paths.events)).toEqual(events);
  expect(linesOf(session.paths.log)).toEqual(log);
  expect(readdirSync(dirname(queue)).filter((name) => /rescued|kept/.test(name))).toEqual([]);
});

test('removed, with something in the way of writing it back: blocked until that is gone', async () => {
  gateway = await startGateway(session);
  const { queue } = session.paths;
  const { ids, prompts } = await threeAccepted(gateway);
  const inTheWay = `${queue}.rescued`;
  // A folder at this path makes every write fail.
  mkdirSync(join(inTheWay, 'x'), { recursive: true });
  rmSync(queue);
  await expectFault(gateway, 'missing', queue);
  const { detail } = (await call(gateway.url, 'GET', '/v1/control/queue')).body.fault;
  expect(await doctor(session)).toContain(`${queue}: ${detail}`);
  rmSync(inTheWay, { recursive: true });
  await expectRecovery(gateway);
  await expectEachOnce(gateway, session.ledger, ids, prompts);
  expect(await gateway.stop()).toBe(0);
});

test('removed and ended before it was written back: the next start finds the copy', async () => {
  gateway = await startGateway(session);
  const { queue } = session.paths;
  await call(gateway.url, 'PUT', '/v1/control/queue', { paused: true });
  const id = await accepted(gateway, 'kept');
  gateway.child.kill('SIGTERM');
  rmSync(queue, { force: true });
  await once(gateway.child, 'exit');
  expect(storedRequests(session.paths)).toMatchObject([{ request_id: id, state: 'accepted' }]);
  renameSync(queue, `${queue}.rescued`);
  gateway = await startGateway(session);
  await call(gateway.url, 'PUT', '/v1/control/queue', { paused: false });
  await expectEachOnce(gateway, session.ledger, [id], ['kept']);
  expect(await gateway.stop()).toBe(0);
});

test('replaced by another file: blocked, both are kept, and the old one comes back when the new one goes', async () => {
  gateway = await startGateway(session);
  const { queue } = session.paths;
  const { ids, prompts } = await threeAccepted(gateway);
  const other = `${queue}.backup`;
  writeFileSync(other, 'somebody put this here');
  renameSync(other, queue);
  await expectFault(gateway, 'replaced', queue);
  expect(await doctor(session)).toContain('Move the new file away and the old content is written back');
  expect(readFileSync(queue, 'utf8')).toBe('somebody put this here');
  renameSync(queue, other);
  await expectRecovery(gateway);
  await expectEachOnce(gateway, session.ledger, ids, prompts);
  const last = await accepted(gateway, '[[slow=60000]] at the end');
  renameSync(other, queue);
  await expectFault(gateway, 'replaced', queue);
  expect(await gateway.stop()).toBe(0);
  const kept = readdirSync(dirname(queue)).find((name) => name.startsWith('queue.sqlite.kept-')) ?? '';
  expect(gateway.stderr()).toContain(`what it held is kept as ${join(dirname(queue), kept)}`);
  expect(readFileSync(queue, 'utf8')).toBe('somebody put this here');
  const paths = { ...session.paths, queue: join(dirname(queue), kept) };
  expect(storedRequests(paths).map(({ request_id }) => request_id)).toEqual([...ids, last]);
});
