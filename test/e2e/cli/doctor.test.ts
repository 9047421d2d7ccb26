import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { tryLock } from '../../../src/foundation/directory-lock.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import { standinProgram } from '../../support/test-session.js';

const folder = mkdtempSync(join(tmpdir(), 'houmao-doctor-'));
const executable = join(folder, 'agent.js');
const environment = managerEnvironment(folder);
const run = (...args: string[]) => manage(environment, args);
const detach = () => run('agents', 'gateway', 'detach', 'sick');
let root = '';
let port = 0;

beforeAll(async () => {
  expect((await run('agents', 'doctor')).stdout).toContain('There are no agents');
});
// An agent for each test, with its gateway.
beforeEach(async () => {
  copyFileSync(standinProgram, executable);
  chmodSync(executable, 0o755);
  const flags = ['--tool', 'claude', '--headless', '--name', 'sick', '--no-tmux', '--executable', executable];
  const launched = await run('agents', 'launch', ...flags, '--workdir', folder, '--json');
  const result = JSON.parse(launched.stdout);
  root = result.session_root;
  port = Number(new URL(result.gateway_url).port);
});
afterEach(() => run('agents', 'stop', 'sick'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** The findings that are not in order, by check. */
async function troubles(): Promise<Record<string, { state: string; detail: string; remedy: string | null }>> {
  const { agents } = JSON.parse((await run('agents', 'doctor', 'sick', '--json')).stdout);
  const found = agents[0].findings.filter((finding: { state: string }) => finding.state !== 'ok');
  return Object.fromEntries(found.map(({ check, ...finding }: { check: string }) => [check, finding]));
}

test('a healthy agent has nothing, with and without its gateway', async () => {
  const { code, stdout, stderr } = await run('agents', 'doctor', 'sick');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/ok +manifest: readable, backend claude_headless/);
  expect(stdout).toMatch(new RegExp(`ok +gateway: serves at http://127.0.0.1:${port}, process \\d+`));
  await detach();
  const files = () => readdirSync(join(root, 'gateway'));
  const before = files();
  expect(await troubles()).toEqual({
    gateway: {
      state: 'warning',
      detail: 'none is running',
      remedy: expect.stringContaining('gateway attach'),
    },
  });
  expect(files()).toEqual(before);
  expect((await run('agents', 'doctor', 'sick')).stdout).toMatch(
    /ok +lock: free[\s\S]*is free[\s\S]*queue: sound/,
  );
});

test('an agent without its program, a port in use and an open folder are named with a remedy', async () => {
  await detach();
  chmodSync(executable, 0o644);
  chmodSync(root, 0o755);
  const other = createServer().listen(port, '127.0.0.1');
  const found = await troubles();
  expect(found.agent).toMatchObject({ state: 'failed', detail: expect.stringContaining('agent.js') });
  expect(found.port).toMatchObject({
    state: 'failed',
    detail: `${port} is taken`,
    remedy: expect.stringContaining('--port 0'),
  });
  expect(found['session folder']).toMatchObject({ state: 'warning', remedy: `Close it: chmod 700 ${root}` });
  const { code, stderr } = await run('agents', 'doctor', 'sick');
  expect([code, stderr]).toEqual([1, 'houmao-mgr: 2 checks failed.\n']);
  other.close();
});

test('a queue that is no database and a manifest that is no JSON are named and left alone', async () => {
  await detach();
  const queue = join(root, 'gateway', 'queue.sqlite');
  const manifest = join(root, 'manifest.json');
  writeFileSync(queue, 'this is no database, however long one looks at it');
  writeFileSync(manifest, '{');
  const found = await troubles();
  expect(found.queue).toMatchObject({ state: 'failed', remedy: expect.stringContaining(queue) });
  expect(found.manifest).toMatchObject({ state: 'failed', detail: expect.stringContaining(manifest) });
  expect(statSync(queue).size).toBe(49);
  expect(readFileSync(manifest, 'utf8')).toBe('{');
});

test('a gateway that was killed is distinguished from one that hangs', async () => {
  await detach();
  const attached = JSON.parse((await run('agents', 'gateway', 'attach', 'sick', '--json')).stdout);
  process.kill(attached.pid, 'SIGSTOP');
  const hanging = await troubles();
  process.kill(attached.pid, 'SIGCONT');
  // One cause, one finding.
  expect(hanging).toEqual({
    gateway: {
      state: 'failed',
      detail: expect.stringContaining(`process ${attached.pid} is there and does not answer`),
      remedy: 'Restart it: houmao-mgr agents gateway attach sick --restart',
    },
  });
  process.kill(attached.pid, 'SIGKILL');
  await expect.poll(async () => (await troubles()).gateway?.state).toBe('warning');
  expect((await troubles()).gateway?.detail).toContain('ended without cleaning up');
});

test('a paused queue is reported, with what waits in it', async () => {
  const remedy = 'Resume it: houmao-mgr agents gateway resume sick';
  await run('agents', 'gateway', 'pause', 'sick');
  expect(await troubles()).toEqual({
    'running queue': { state: 'warning', detail: 'it is paused; no prompts wait', remedy },
  });
  for (const text of ['one', 'two']) await run('agents', 'prompt', 'sick', text, '--no-wait');
  expect(await troubles()).toEqual({
    'running queue': { state: 'warning', detail: 'it is paused; 2 prompts wait', remedy },
  });
  await run('agents', 'gateway', 'resume', 'sick');
});

test('who holds the lock of a gateway that has not published itself is named', async () => {
  await detach();
  const path = join(root, 'gateway', 'run', 'gateway.lock');
  const holder = tryLock(path);
  const found = await troubles();
  holder?.release();
  expect(found.lock).toMatchObject({
    state: 'failed',
    detail: expect.stringMatching(new RegExp(`^process ${process.pid} holds it \\(.*node.*\\)$`)),
    remedy: `End it: kill ${process.pid}`,
  });
});

test('a mailbox is looked into: usable, then lost with its remedy, and mended by that', async () => {
  const mail = join(folder, 'mail');
  expect((await run('agents', 'mailbox', 'register', 'sick', '--mailbox-root', mail)).code).toBe(0);
  expect((await run('agents', 'doctor', 'sick')).stdout).toMatch(
    /ok +mailbox: sick@houmao\.localhost, usable/,
  );
  const own = join(mail, 'mailboxes', 'sick@houmao.localhost');
  writeFileSync(join(own, 'mailbox.sqlite'), 'no database, however long one looks at it');
  const repair = `houmao-mgr mailbox repair --mailbox-root ${realpathSync(mail)}`;
  expect((await troubles()).mailbox).toMatchObject({
    state: 'failed',
    detail: expect.stringContaining(own),
    remedy: `Repair it: ${repair}`,
  });
  expect((await run(...repair.split(' ').slice(1))).code).toBe(0);
  expect((await troubles()).mailbox).toBeUndefined();
});
