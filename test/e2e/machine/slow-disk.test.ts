import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { type HeldSyncs, heldSyncs } from '../../support/held-syncs.js';
import { type Answer, call, waitFinal } from '../../support/http.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { expectedLines, linesOf, storedRequests } from '../recovery/evidence.js';
import { accepted, expectEachOnce, expectFault, expectRecovery, submit } from './promises.js';

let session: TestSession;
let disk: HeldSyncs;
let gateway: GatewayProcess;
beforeEach(async () => {
  session = await makeSession();
  disk = heldSyncs(session);
});
afterEach(() => {
  // A gateway that still waits for its sync could not be ended.
  disk.release();
  session.remove();
});

const start = () => startGateway(session, { environment: disk.environment });
const pause = (paused: boolean) => call(gateway.url, 'PUT', '/v1/control/queue', { paused });
const log = () => basename(`${session.paths.queue}-wal`);

/** A prompt that is sent and not waited for. */
function send(prompt: string): { answer: Promise<Answer>; answers: Answer[] } {
  const answers: Answer[] = [];
  const answer = submit(gateway, prompt);
  answer.then(
    (given) => answers.push(given),
    () => undefined,
  );
  return { answer, answers };
}
/** Waits until the gateway asks for a sync of its log. */
const syncAsked = () =>
  expect.poll(() => disk.seen().some(({ file }) => file === log()), { interval: 5 }).toBe(true);

test('while a sync hangs, everybody else is answered, and a 202 leaves only after its sync', async () => {
  gateway = await start();
  await pause(true);
  const known = await accepted(gateway, 'known');
  disk.seen();
  disk.hold();
  const first = send('first');
  await syncAsked();
  // Its row is written, and theirs wait for the next commit.
  const more = [send('second'), send('third')];
  for (let n = 0; n < 50; n += 1) {
    expect((await call(gateway.url, 'GET', '/health')).status).toBe(200);
    expect((await call(gateway.url, 'GET', `/v1/requests/${known}`)).body.state).toBe('accepted');
    expect((await call(gateway.url, 'GET', '/v1/status')).status).toBe(200);
  }
  // A reader may see it a moment before it is on disk: no caller was promised it. Its event is reported only then.
  const { requests } = (await call(gateway.url, 'GET', '/v1/requests')).body;
  expect(requests).toHaveLength(2);
  const events = async (): Promise<string[]> =>
    (await call(gateway.url, 'GET', '/v1/events?limit=200')).body.events.map(
      (event: { subject_id: string }) => event.subject_id,
    );
  expect(await events()).not.toContain(requests[0].request_id);
  expect(readFileSync(session.paths.events, 'utf8')).not.toContain(requests[0].request_id);
  expect([first, ...more].map(({ answers }) => answers.length)).toEqual([0, 0, 0]);
  disk.release();
  for (const { answer } of [first, ...more]) expect((await answer).status).toBe(202);
  expect(await events()).toContain(requests[0].request_id);
  expect(await gateway.stop()).toBe(0);
});

test('while it serves, no sync holds the event loop, and the log stays short', async () => {
  gateway = await start();
  await pause(true);
  disk.seen();
  let longest = 0;
  for (let n = 0; n < 40; n += 1) {
    await accepted(gateway, `${n} ${'long '.repeat(60_000)}`);
    longest = Math.max(longest, statSync(`${session.paths.queue}-wal`).size);
  }
  const seen = disk.seen();
  expect(seen.filter(({ thread }) => thread === 'main')).toEqual([]);
  // 12 MB were written: it was emptied, into a database that was synced.
  expect(longest).toBeLessThan(10 * 1024 * 1024);
  expect(seen.filter(({ file }) => file === basename(session.paths.queue)).length).toBeGreaterThan(1);
  expect(await gateway.stop()).toBe(0);
  expect(storedRequests(session.paths)).toHaveLength(40);
});

test('a sync that fails: the answer comes when all is written again, and what was asked ran once', async () => {
  gateway = await start();
  const before = await accepted(gateway, 'before');
  await waitFinal(gateway.url, before);
  disk.seen();
  disk.fail();
  const asked = send('asked meanwhile');
  await expectFault(gateway, 'unwritable', session.paths.queue);
  expect(gateway.stderr()).toContain('look at its disk');
  expect(asked.answers).toEqual([]);
  expect(existsSync(session.ledger) && readFileSync(session.ledger, 'utf8')).not.toContain('asked meanwhile');
  disk.release();
  const { status, body } = await asked.answer;
  expect(status).toBe(202);
  await expectRecovery(gateway);
  await expectEachOnce(gateway, session.ledger, [before, body.request_id], ['before', 'asked meanwhile']);
  await gateway.kill();
  gateway = await start();
  expect((await call(gateway.url, 'GET', `/v1/requests/${body.request_id}`)).body.state).toBe('completed');
  expect(await gateway.stop()).toBe(0);
  const { events, log: lines } = expectedLines(session.paths);
  expect(linesOf(session.paths.events)).toEqual(events);
  expect(linesOf(session.paths.log)).toEqual(lines);
});

test('stopped while syncs fail: waiting callers learn that the outcome is unknown', async () => {
  gateway = await start();
  await pause(true);
  disk.fail();
  const asked = send('perhaps');
  await expectFault(gateway, 'unwritable', session.paths.queue);
  const stopped = gateway.stop();
  expect(await asked.answer).toMatchObject({
    status: 500,
    body: { detail: expect.stringMatching(/It is not known whether this was stored\.$/) },
  });
  expect(await stopped).toBe(0);
});

test('killed between the write and its sync: the row is whole or not there, and runs at most once', async () => {
  gateway = await start();
  const before = await accepted(gateway, 'before');
  await waitFinal(gateway.url, before);
  await pause(true);
  disk.seen();
  disk.hold();
  const asked = send('never answered');
  await syncAsked();
  await gateway.kill();
  await expect(asked.answer).rejects.toThrow();
  disk.release();
  const rows = storedRequests(session.paths);
  gateway = await start();
  await pause(false);
  const ids = rows.map(({ request_id }) => request_id);
  expect(ids).toContain(before);
  await expectEachOnce(gateway, session.ledger, ids, ['before', 'never answered'].slice(0, ids.length));
  expect(await gateway.stop()).toBe(0);
});
