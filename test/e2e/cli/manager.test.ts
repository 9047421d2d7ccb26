import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { version } from '../../../src/foundation/version.js';
import { call } from '../../support/http.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import { standinProgram } from '../../support/test-session.js';

const folder = mkdtempSync(join(tmpdir(), 'houmao-cli-'));
const environment: NodeJS.ProcessEnv = {
  ...managerEnvironment(folder),
  TMUX_TMPDIR: folder,
  TMUX: '',
};
const launchFlags = [
  '--tool',
  'claude',
  '--headless',
  '--executable',
  standinProgram,
  '--workdir',
  folder,
  '--home',
  join(folder, 'home'),
];
const run = (...args: string[]) => manage(environment, args);

afterAll(async () => {
  await run('agents', 'stop', 'alpha');
  await run('agents', 'stop', 'beta');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe('an agent without tmux', () => {
  let url = '';
  let root = '';

  beforeAll(async () => {
    const launched = await run(
      'agents',
      'launch',
      ...launchFlags,
      '--name',
      'alpha',
      '--no-tmux',
      '--role',
      'Be brief',
      '--turn-time-limit',
      '600',
      '--json',
    );
    expect(launched).toMatchObject({ code: 0, stderr: '' });
    const result = JSON.parse(launched.stdout);
    url = result.gateway_url;
    root = result.session_root;
  });

  test('its gateway serves, its files are private, its registry record says where', async () => {
    expect((await call(url, 'GET', '/health')).body).toEqual({ protocol_version: 'v1', status: 'ok' });
    for (const name of ['manifest.json', 'agent.env', 'gateway/queue.sqlite'])
      expect(statSync(join(root, name)).mode & 0o077).toBe(0);
    const manifest = JSON.parse(readFileSync(join(root, 'manifest.json'), 'utf8'));
    expect(manifest.backend_state).toMatchObject({ turn_host: 'process', turn_time_limit_seconds: 600 });
    const listed = JSON.parse((await run('agents', 'list', '--json')).stdout);
    expect(listed.agents).toMatchObject([
      { agent_name: 'HOUMAO-alpha', tool: 'claude', gateway_url: url, session_root: root },
    ]);
    const desired = JSON.parse(readFileSync(join(root, 'gateway/desired-config.json'), 'utf8'));
    expect(desired).toMatchObject({ desired_host: '127.0.0.1', desired_port: Number(new URL(url).port) });
  });

  test('a prompt is answered, with progress on stderr and only the answer on stdout', async () => {
    const prompted = await run('agents', 'prompt', 'alpha', 'hello');
    expect(prompted.code).toBe(0);
    expect(prompted.stdout).toMatch(/^You said: hello \(turn \d+ of this conversation\)\n$/);
    expect(prompted.stderr).toContain('Queued as gwreq-');
    expect(prompted.stderr).toContain('Delivered: ');
    const piped = await manage(
      environment,
      ['agents', 'prompt', 'HOUMAO-alpha', '-', '--new', '--json'],
      'from a pipe',
    );
    expect(JSON.parse(piped.stdout).answer).toBe('You said: from a pipe (turn 1 of this conversation)');
  });

  test('an empty prompt is refused', async () => {
    expect(await run('agents', 'prompt', 'alpha', '  ')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('The prompt is empty'),
    });
  });

  test('a failing prompt says why, with exit code 1', async () => {
    const failed = await run('agents', 'prompt', 'alpha', '[[exit=3]] oops');
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toMatch(/houmao-mgr: The prompt failed \(agent_failed\): .* code 3/);
  });

  test('interrupting an idle agent is no failure', async () => {
    expect(await run('agents', 'interrupt', 'alpha')).toMatchObject({
      code: 0,
      stdout: 'Nothing was running.\n',
    });
  });

  test('status shows the axes in words; after a detach it says how to attach; the port stays the same', async () => {
    expect((await run('agents', 'gateway', 'status', 'alpha')).stdout).toMatch(
      /ready for prompts[\s\S]*new prompts +accepted[\s\S]*queue +empty/,
    );
    expect((await run('agents', 'gateway', 'detach', 'alpha')).stdout).toBe(
      'Stopped the gateway of alpha.\n',
    );
    const state = JSON.parse(readFileSync(join(root, 'gateway/state.json'), 'utf8'));
    expect(state).toMatchObject({
      gateway_health: 'not_attached',
      request_admission: 'blocked_unavailable',
      managed_agent_instance_epoch: 1,
    });
    expect(state).not.toHaveProperty('gateway_port');
    expect(await run('agents', 'gateway', 'status', 'alpha')).toMatchObject({
      code: 6,
      stdout: '',
      stderr: expect.stringContaining('agents gateway attach alpha'),
    });
    expect((await run('agents', 'prompt', 'alpha', 'hi')).stderr).toContain('No gateway answers for alpha');
    expect((await run('agents', 'gateway', 'attach', 'alpha')).stdout).toBe(`The gateway serves at ${url}\n`);
    expect((await run('agents', 'gateway', 'attach', 'alpha')).stdout).toMatch(` already serves at ${url}\n`);
  });

  test('a paused queue says so, keeps what waits, and goes on when it is resumed', async () => {
    expect((await run('agents', 'gateway', 'pause', 'alpha')).stdout).toMatch(/^Paused the queue of alpha/);
    const { request_id } = (
      await call(url, 'POST', '/v1/requests', { kind: 'submit_prompt', payload: { prompt: 'held back' } })
    ).body;
    expect((await run('agents', 'gateway', 'status', 'alpha')).stdout).toMatch(
      /the queue is paused[\s\S]*queue +1 not finished, paused[\s\S]*The queue is paused/,
    );
    expect((await run('agents', 'gateway', 'resume', 'alpha')).stdout).toBe('Resumed the queue of alpha.\n');
    const record = (await call(url, 'GET', `/v1/requests/${request_id}?wait_seconds=30`)).body;
    expect(record.state).toBe('completed');
  });

  test('reminders are made, listed, changed and removed', async () => {
    const reminders = (...args: string[]) => run('agents', 'gateway', 'reminders', ...args);
    expect((await reminders('list', 'alpha')).stdout).toBe('There are no reminders.\n');
    const made = await reminders(
      'create',
      'alpha',
      '--prompt',
      'Look around',
      '--in',
      '900',
      '--every',
      '300',
    );
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const id = /^(greminder-[0-9a-f]{12}) {2}Look around\n/.exec(made.stdout)?.[1] ?? '';
    const behind = ['--ranking', '1', '--in-memory', '--json'];
    const second = JSON.parse(
      (await reminders('create', 'alpha', '--prompt', 'Later', '--at', '2100-01-01', ...behind)).stdout,
    );
    expect(second.reminders[0]).toMatchObject({ ranking: 1, blocked_by_reminder_id: id });
    expect((await reminders('list', 'alpha')).stdout).toMatch(
      new RegExp(
        `REMINDER[\\s\\S]*${id} +0 .* 300 s +yes +scheduled +Look around\n[^]* no +waits behind ${id} +Later`,
      ),
    );
    const other = await reminders('create', 'alpha', '--prompt', 'Other', '--in', '5m', '--every', '5m');
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining(`${id} already repeats`) });
    const soon = await reminders('create', 'alpha', '--prompt', 'Soon', '--in', '1s');
    expect(soon.stderr).toContain(`It goes before ${id}, which repeats`);
    // It fires, and is gone then.
    await expect.poll(async () => (await reminders('list', 'alpha')).stdout).not.toContain('Soon');
    expect((await reminders('set', 'alpha', id, '--paused', '--title', 'Paused one')).stdout).toMatch(
      /Paused one\n +state +paused[\s\S]*every +300 s[\s\S]*prompt +Look around/,
    );
    expect((await reminders('set', 'alpha', id, '--no-paused')).stdout).toMatch(/state +scheduled/);
    expect((await reminders('get', 'alpha', id)).stdout).toContain('Paused one');
    expect((await reminders('remove', 'alpha', id)).stdout).toBe('Deleted the reminder.\n');
    await reminders('remove', 'alpha', second.reminders[0].reminder_id);
  });

  test('a reminder that says too little, too much or nothing known is refused in a sentence', async () => {
    const reminders = (...args: string[]) => run('agents', 'gateway', 'reminders', ...args);
    const refused = async (args: string[], why: RegExp) =>
      expect(await reminders(...args)).toMatchObject({ stdout: '', stderr: expect.stringMatching(why) });
    await refused(['create', 'alpha', '--in', '5'], /either --prompt .* or --keys/);
    await refused(['create', 'alpha', '--prompt', 'x'], /either --in .* or --at/);
    await refused(
      ['create', 'alpha', '--prompt', 'x', '--in', '5', '--at', '2100-01-01'],
      /cannot be used with/,
    );
    await refused(
      ['create', 'alpha', '--prompt', 'x', '--in', 'soon'],
      /It must be a duration, at least 0s: 90s, 5m/,
    );
    await refused(['create', 'alpha', '--prompt', 'x', '--at', 'yesterday'], /--at <moment>.*ISO 8601/);
    await refused(['create', 'alpha', '--prompt', 'x', '--in', '0'], /--in: /);
    await refused(['create', 'alpha', '--keys', 'x', '--in', '5'], /Give --prompt/);
    await refused(['get', 'alpha', 'greminder-x'], /No reminder `greminder-x`/);
  });

  test('reconcile needs a choice, and settles nothing when there is nothing', async () => {
    expect(await run('agents', 'gateway', 'reconcile', 'alpha')).toMatchObject({ code: 2 });
    expect(await run('agents', 'gateway', 'reconcile', 'alpha', '--adopt')).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^No .* \(epoch 1\)\.\n$/),
    });
  });

  test('the name is taken until it is stopped', async () => {
    const second = await run('agents', 'launch', ...launchFlags, '--name', 'alpha', '--no-tmux');
    expect(second.code).toBe(1);
    expect(second.stderr).toContain('An agent named alpha already exists');
  });
});

describe('an agent in tmux', () => {
  const tmux = (...args: string[]) => execFileSync('tmux', args, { env: environment, encoding: 'utf8' });

  test('turns run in its pane, and stop ends the session', async () => {
    const launched = await run('agents', 'launch', ...launchFlags, '--name', 'beta', '--json');
    expect(launched.code).toBe(0);
    const { tmux_session_name: name, session_root: root } = JSON.parse(launched.stdout);
    expect(tmux('list-windows', '-t', name, '-F', '#{window_index} #{window_name}')).toBe('0 agent\n');
    expect((await run('agents', 'prompt', 'beta', 'in the pane')).stdout).toBe(
      'You said: in the pane (turn 1 of this conversation)\n',
    );
    expect(tmux('capture-pane', '-p', '-t', `${name}:0.0`)).toContain('You said: in the pane');
    expect(tmux('show-environment', '-t', name, 'HOUMAO_MANIFEST_PATH')).toBe(
      `HOUMAO_MANIFEST_PATH=${root}/manifest.json\n`,
    );
    expect((await run('agents', 'stop', 'beta')).code).toBe(0);
    expect(() => tmux('has-session', '-t', name)).toThrow();
    expect(existsSync(join(root, 'manifest.json'))).toBe(true);
    expect(await run('agents', 'prompt', 'beta', 'x')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(root),
    });
  });
});

describe('wrong input', () => {
  test.each([
    [['agents', 'launch', '--tool', 'vim', '--headless'], 2, 'Allowed choices are claude, codex, gemini'],
    [['agents', 'launch', '--tool', 'claude'], 2, 'Choose how the agent runs: --headless'],
    [['agents', 'launch', ...launchFlags, '--name', '../x'], 2, '--name ../x'],
    [['agents', 'launch', ...launchFlags, '--workdir', '/nowhere'], 2, '/nowhere is not a folder'],
    [
      ['agents', 'launch', ...launchFlags, '--executable', '/nowhere/claude'],
      2,
      'is not a program that can be run',
    ],
    [['agents', 'launch', ...launchFlags, '--env', 'NOT_SET_ANYWHERE'], 2, 'is not set in this shell'],
    [['agents', 'launch', ...launchFlags, '--reasoning', '0'], 2, '--reasoning 0'],
    [
      ['agents', 'launch', ...launchFlags, '--', '--resume', 'x'],
      2,
      'The argument --resume is set by each turn itself',
    ],
    [['agents', 'launch', ...launchFlags, '--port', '70000'], 2, 'a number from 0 to 65535'],
    [['agents', 'launch', ...launchFlags, '--port', '10080'], 2, 'refuse to call port 10080'],
    [['agents', 'prompt', 'nobody', 'hi'], 5, 'No agent is named nobody'],
    [['nonsense'], 2, "Unknown command 'nonsense'"],
  ])('%j', async (args, code, text) => {
    const ran = await run(...args);
    expect(ran.stderr).toContain(text);
    expect(ran.code).toBe(code);
    expect(ran.stderr).not.toMatch(/ at .*\.js:\d+/);
  });

  test('--help and --version answer on stdout with 0', async () => {
    expect(await run('agents', 'launch', '--help')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('--unattended'),
    });
    expect(await run('--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
  });
});
