import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { call, waitFinal } from '../../support/http.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { heldAgent } from '../recovery/evidence.js';
import {
  accepted,
  confirmed,
  doctor,
  expectEachOnce,
  expectFault,
  expectRecovery,
  startAndFail,
  submit,
  threeAccepted,
} from './promises.js';

let session: TestSession;
let gateway: GatewayProcess;
beforeEach(async () => {
  session = await makeSession();
});
afterEach(() => session.remove());

/** Another process that holds the database until it is asked to let go. */
async function holdLock(): Promise<() => Promise<void>> {
  const script = `import { openDatabase } from './dist/src/foundation/open-database.js';
    const database = openDatabase(process.argv[1]);
    database.exec('BEGIN EXCLUSIVE');
    console.log('held');
    // A database that nothing refers to is closed, and its lock gone: by the garbage collector of Node 24 at once.
    process.stdin.resume().once('end', () => database.close());`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, session.paths.queue], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return async () => {
    child.stdin.end();
    await once(child, 'exit');
  };
}

/** A gateway whose clock stands still while a file is there. */
async function startWithHeldClock(): Promise<{ hold: () => void; release: () => void }> {
  const file = join(session.folder, 'hold-the-clock');
  const preload = fileURLToPath(new URL('./held-clock.cjs', import.meta.url));
  gateway = await startGateway(session, {
    environment: { NODE_OPTIONS: `--require ${preload}`, HELD_CLOCK: file },
  });
  return { hold: () => writeFileSync(file, ''), release: () => rmSync(file) };
}

test('a lock that goes away in time is waited for, and holds up nothing else', async () => {
  const clock = await startWithHeldClock();
  const letGo = await holdLock();
  // The lock goes away in time, whatever else this machine does.
  clock.hold();
  let answered = false;
  const waiting = submit(gateway, 'after the lock').finally(() => {
    answered = true;
  });
  for (let n = 0; n < 5; n += 1) expect((await call(gateway.url, 'GET', '/health')).status).toBe(200);
  expect((await call(gateway.url, 'GET', '/v1/requests')).status).toBe(200);
  expect(answered).toBe(false);
  await letGo();
  const { status, body } = await waiting;
  clock.release();
  expect(status).toBe(202);
  await expectEachOnce(gateway, session.ledger, [body.request_id], ['after the lock']);
  expect(await gateway.stop()).toBe(0);
  expect(gateway.stderr()).toBe('');
});

test('a lock that stays: refused, the running turn is noted when it goes', async () => {
  gateway = await startGateway(session);
  const { ids, prompts } = await threeAccepted(gateway);
  await confirmed(gateway, ids[0]);
  const goOn = await heldAgent(session.ledger, 'runs');
  const letGo = await holdLock();
  const pending = submit(gateway, 'never taken');
  expect((await pending).status).toBe(503);
  await expectFault(gateway, 'locked', session.paths.queue);
  expect(await doctor(session)).toContain('End what holds it (fuser ');
  goOn();
  await expect.poll(() => readFileSync(session.ledger, 'utf8')).toContain('"done"');
  await letGo();
  await expectRecovery(gateway);
  await expectEachOnce(gateway, session.ledger, ids, prompts);
  const { turn } = (await call(gateway.url, 'GET', `/v1/requests/${ids[0]}`)).body;
  expect(turn.delivery).toMatchObject({ state: 'confirmed' });
  expect(await gateway.stop()).toBe(0);
});

test('locked at the start, with something to write: exit 1 and a clear line; let go, it starts', async () => {
  gateway = await startGateway(session);
  const id = await accepted(gateway, '[[slow=60000]] cut off');
  await expect
    .poll(async () => (await call(gateway.url, 'GET', `/v1/requests/${id}`)).body.state)
    .toBe('running');
  await gateway.kill();
  const letGo = await holdLock();
  const refused = await startAndFail(session);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /^\S+ houmao-gateway: \S+queue\.sqlite: another program [^\n]*; end what holds it \(fuser \S+\)\n$/,
  );
  await letGo();
  gateway = await startGateway(session);
  expect(await waitFinal(gateway.url, id)).toMatchObject({ error: { code: 'gateway_restarted' } });
  expect(await gateway.stop()).toBe(0);
});
