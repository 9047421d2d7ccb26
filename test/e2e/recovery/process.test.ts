import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withoutTime } from '../../../src/foundation/program-line.js';
import { startGateway } from '../../support/gateway-process.js';
import { call } from '../../support/http.js';
import { gatewayProgram, makeSession, type TestSession } from '../../support/test-session.js';
import { startOwner } from '../../support/turn-owner.js';
import { agentsOf, eventually, expectedLines, linesOf, storedRequests, takenPrompts } from './evidence.js';

let session: TestSession;
beforeEach(async () => {
  session = await makeSession();
});
afterEach(() => session.remove());

/** Ready to be asked to stop: the handler of the signal stands when an answer has come. */
async function started() {
  const gateway = await startGateway(session);
  await call(gateway.url, 'GET', '/health');
  return gateway;
}

async function run(
  args: readonly string[],
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [gatewayProgram, ...args], {
    env: session.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text) => {
    stdout += text;
  });
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}
const listen = (root: string, port = '0') => ['--gateway-root', root, '--host', '127.0.0.1', '--port', port];
const oneLine = (text: string): boolean => /^[^\n]+\n$/.test(text);

/** Every file below the root with its content and time of change. */
const snapshot = (root: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .map((name) => join(root, name))
      // SQLite's shared memory changes even when the database is only read.
      .filter((path) => statSync(path).isFile() && !path.endsWith('-shm'))
      .map((path) => [path, `${statSync(path).mtimeMs} ${readFileSync(path, 'base64')}`]),
  );

test('a second gateway on the same root exits 4, says so in one line and changes nothing', async () => {
  const gateway = await started();
  // Held still, it changes nothing itself; its locks stay.
  gateway.child.kill('SIGSTOP');
  await eventually('the gateway held still', () =>
    /^State:\tT/m.test(readFileSync(`/proc/${gateway.child.pid}/status`, 'utf8')),
  );
  const before = snapshot(session.paths.root);
  for (const root of [session.paths.root, session.paths.gateway]) {
    const second = await run(listen(root));
    expect(second.code).toBe(4);
    expect(second.stderr).toMatch(/another gateway serves/);
    expect(oneLine(second.stderr)).toBe(true);
    expect(second.stdout).toBe('');
  }
  expect(snapshot(session.paths.root)).toEqual(before);
  gateway.child.kill('SIGCONT');
  expect((await call(gateway.url, 'GET', '/v1/status')).status).toBe(200);
  expect(await gateway.stop()).toBe(0);
});

test('where another program runs the turns of the session, a gateway exits 4 and says which', async () => {
  const owner = await startOwner(session);
  if ('refused' in owner) throw new Error('nobody else can own it');
  const refused = await run(listen(session.paths.root));
  expect(refused).toMatchObject({ code: 4, stdout: '' });
  expect(withoutTime(refused.stderr)).toBe(
    `houmao-gateway: turn-owner (pid ${owner.pid}) runs the turns of ${session.paths.root}; stop it first\n`,
  );
  await owner.kill();
  const gateway = await started();
  expect(await startOwner(session)).toMatchObject({ refused: { program: 'houmao-gateway' } });
  expect(await gateway.stop()).toBe(0);
  expect(existsSync(join(session.paths.run, 'owner.json'))).toBe(false);
});

test('a port in use exits 3 and leaves no queue behind', async () => {
  const blocker = createServer().listen(0, '127.0.0.1');
  await once(blocker, 'listening');
  const { port } = blocker.address() as { port: number };
  const refused = await run(listen(session.paths.root, String(port)));
  blocker.close();
  expect(refused.code).toBe(3);
  expect(refused.stderr).toMatch(/another program has port/);
  expect(oneLine(refused.stderr)).toBe(true);
  expect(existsSync(session.paths.queue)).toBe(false);
  expect(existsSync(session.paths.currentInstance)).toBe(false);
});

test.each([
  ['is not JSON', '{ half a'],
  ['is of another version', '{"schema_version": 3}'],
  ['is an array', '[]'],
])('a manifest that %s exits 1 and stays as it was', async (_how, content) => {
  writeFileSync(session.paths.manifest, content);
  const refused = await run(listen(session.paths.root));
  expect(refused.code).toBe(1);
  expect(oneLine(refused.stderr)).toBe(true);
  expect(refused.stderr).toContain(session.paths.manifest);
  expect(readFileSync(session.paths.manifest, 'utf8')).toBe(content);
  expect(existsSync(session.paths.queue)).toBe(false);
});

test('a missing manifest exits 1', async () => {
  rmSync(session.paths.manifest);
  const refused = await run(listen(session.paths.root));
  expect(refused).toMatchObject({ code: 1 });
  expect(oneLine(refused.stderr)).toBe(true);
});

test('a queue that is no database, or a damaged one, exits 1 and stays as it was', async () => {
  const gateway = await started();
  expect(await gateway.stop()).toBe(0);
  for (const content of [
    Buffer.from('not a database, but somebody has his notes here\n'.repeat(50)),
    readFileSync(session.paths.queue).fill(7, 100, 3000),
  ]) {
    writeFileSync(session.paths.queue, content);
    const refused = await run(listen(session.paths.root));
    expect(refused.code).toBe(1);
    expect(oneLine(refused.stderr)).toBe(true);
    expect(refused.stderr).toContain('queue.sqlite');
    expect(readFileSync(session.paths.queue).equals(content)).toBe(true);
  }
});

test.each([
  [['--port', '0']],
  [['--gateway-root', '/tmp', '--host', 'localhost', '--port', '0']],
  [['--gateway-root', '/tmp', '--host', '127.0.0.1', '--port', '70000']],
  [['--gateway-root', '/tmp', '--host', '127.0.0.1', '--port', '10080']],
  [['--gateway-root', '/tmp', '--host', '127.0.0.1', '--port', '0', '--nonsense']],
])('bad flags %j exit 2 with the reason first', async (args) => {
  const refused = await run(args);
  expect(refused.code).toBe(2);
  expect(refused.stderr.split('\n')[0]).toMatch(/^houmao-gateway: /);
  expect(refused.stderr).not.toMatch(/^\s+at /m);
});

test('SIGTERM while a turn runs: the agent ends, exit 0, the record is gone, the row says why', async () => {
  const gateway = await startGateway(session);
  const text = '[[ignore-signals]] [[grandchild=600000]] [[slow=600000]] at work';
  const running = (
    await call(gateway.url, 'POST', '/v1/requests', { kind: 'submit_prompt', payload: { prompt: text } })
  ).body.request_id;
  const waiting = (
    await call(gateway.url, 'POST', '/v1/requests', {
      kind: 'submit_prompt',
      payload: { prompt: 'next time' },
    })
  ).body.request_id;
  await eventually('the agent at work', () => takenPrompts(session.ledger).length === 1);
  const waiter = call(gateway.url, 'GET', `/v1/requests/${running}?wait_seconds=60`);
  expect(await gateway.stop()).toBe(0);
  // Waiting callers got an answer; they were not cut off.
  expect((await waiter).status).toBe(200);
  expect(agentsOf(session)).toEqual([]);
  expect(existsSync(session.paths.currentInstance)).toBe(false);
  expect(existsSync(session.paths.pid)).toBe(false);
  const rows = Object.fromEntries(storedRequests(session.paths).map((row) => [row.request_id, row]));
  expect(rows[running]).toMatchObject({
    state: 'failed',
    error_detail: expect.stringMatching(/gateway was stopped/),
  });
  expect(rows[waiting]).toMatchObject({ state: 'accepted' });
  const { events, log } = expectedLines(session.paths);
  expect(linesOf(session.paths.events)).toEqual(events);
  expect(linesOf(session.paths.log)).toEqual(log);
  expect(gateway.stderr()).toBe('');
});

test.each<[when: string, reached: (burst: readonly Promise<unknown>[]) => Promise<unknown>]>([
  ['when nothing of it has arrived', () => Promise.resolve()],
  ['at its first answer', (burst) => Promise.race(burst)],
  ['at its last answer', (burst) => Promise.all(burst)],
  [
    'while the agent works on it',
    () => eventually('a prompt', () => takenPrompts(session.ledger).length > 0),
  ],
])('SIGTERM in a burst, %s, ends cleanly, and nothing runs on', async (_when, reached) => {
  const gateway = await started();
  const burst = Array.from({ length: 20 }, (_, n) =>
    call(gateway.url, 'POST', '/v1/requests', {
      kind: 'submit_prompt',
      payload: { prompt: `[[slow=30]] burst ${n}` },
    }).catch(() => null),
  );
  await reached(burst);
  expect(await gateway.stop()).toBe(0);
  await Promise.all(burst);
  expect(agentsOf(session)).toEqual([]);
  expect(storedRequests(session.paths).filter((row) => row.state === 'running')).toEqual([]);
  expect(gateway.stderr()).toBe('');
});

test('its help says which flags it cannot do without, and it names each that is missing', async () => {
  const { code, stdout } = await run(['--help']);
  const required = stdout
    .split('\n')
    .flatMap((line) => (/\(required\)/.test(line) ? [line.trim().split(' ')[0]] : []));
  expect([code, required]).toEqual([0, ['--gateway-root', '--host', '--port']]);
  const bare = await run([]);
  expect([bare.code, bare.stdout]).toEqual([2, '']);
  expect(bare.stderr).toContain('--gateway-root');
});
