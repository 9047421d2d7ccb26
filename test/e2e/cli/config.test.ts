// `houmao-mgr config` and `houmao-mgr context`: what is set once holds for all commands, and nothing else changes.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { manage } from '../../support/manager.js';
import { peer } from '../../support/peer.js';
import { standinProgram } from '../../support/test-session.js';
import { serverStage } from './server-stage.js';

const stage = serverStage();
const file = join(stage.folder, '.config', 'houmao', 'config.yaml');
const run = async (...args: string[]) => {
  const { code, stdout, stderr } = await stage.run(...args, '--json');
  return { code, answer: JSON.parse(stdout || '{}'), failure: JSON.parse(stderr || '{}'), stderr };
};
/** Leaves no file behind, not even for the end of an agent that was launched before this is called. */
const begin = () => onTestFinished(() => rmSync(file, { force: true }));
/** A server that no registry of this host knows: what it has is seen only through its context. */
const other = (answer: (path: string, token: string | undefined) => object) =>
  peer((request, response) => {
    const body = JSON.stringify(answer(request.url ?? '', request.headers.authorization));
    response.writeHead(200, { 'Content-Type': 'application/json', 'X-Request-Id': 'http-1' }).end(body);
  });

describe('a context', () => {
  test('that is in use is asked by every command that can ask a server, until this machine is used again', async () => {
    await stage.launch('--headless');
    begin();
    const asked: string[] = [];
    const { port } = await other((path) => {
      asked.push(path);
      return path.startsWith('/houmao/agents') ? { agents: [] } : { status: 'ok' };
    });
    const url = `http://127.0.0.1:${port}`;
    expect(await run('context', 'add', 'build', `${url}/`)).toMatchObject({
      code: 0,
      answer: { name: 'build', server: url, in_use: false, answers: true },
    });
    expect((await run('agents', 'list')).answer.agents).toHaveLength(1);
    expect((await run('agents', 'list', '--context', 'build')).answer.agents).toEqual([]);
    await run('context', 'use', 'build');
    asked.length = 0;
    expect((await run('agents', 'list')).answer.agents).toEqual([]);
    expect(asked.some((path) => path.startsWith('/houmao/agents'))).toBe(true);
    expect((await run('agents', 'list', '--context', 'here')).answer.agents).toHaveLength(1);
    expect((await run('agents', 'list', '--server', stage.url)).answer.agents).toHaveLength(1);
    expect((await run('context', 'list')).answer).toMatchObject({
      context: 'build',
      contexts: [{ name: 'build', server: url, token_file: null, in_force: true }],
    });
    await run('context', 'use', 'here');
    expect((await run('agents', 'list')).answer.agents).toHaveLength(1);
    expect((await run('context', 'rm', 'build')).answer).toMatchObject({ was_in_use: false });
    expect((await run('context', 'use', 'build')).code).toBe(2);
  });

  test('that is in use is no server of an agent that works in its own session', async () => {
    const { root } = await stage.launch('--headless');
    begin();
    await run('context', 'add', 'away', 'http://127.0.0.1:1', '--use');
    expect((await run('agents', 'list')).code).not.toBe(0);
    const inside = { ...stage.environment, HOUMAO_MANIFEST_PATH: join(root, 'manifest.json') };
    const { code, stdout } = await manage(inside, ['agents', 'list', '--json']);
    expect([code, JSON.parse(stdout).agents.length]).toEqual([0, 1]);
  });

  test('sends its token, also to an address of this machine, and with its address alone', async () => {
    begin();
    const tokens: (string | undefined)[] = [];
    const { port } = await other((path, token) => {
      if (path.startsWith('/houmao/agents')) tokens.push(token);
      return path.startsWith('/houmao/agents') ? { agents: [] } : { status: 'ok' };
    });
    const url = `http://127.0.0.1:${port}`;
    writeFileSync(join(stage.folder, 'token'), 'a-secret\n');
    const added = await stage.run(
      'context',
      'add',
      'build',
      url,
      '--token-file',
      join(stage.folder, 'token'),
    );
    await stage.run('agents', 'list', '--context', 'build');
    await stage.run('agents', 'list', '--server', url);
    expect(new Set(tokens)).toEqual(new Set(['Bearer a-secret']));
    expect(added.stdout + readFileSync(file, 'utf8')).not.toContain('a-secret');
    rmSync(join(stage.folder, 'token'));
    expect((await run('agents', 'list', '--context', 'build')).failure).toMatchObject({
      error_code: 'usage',
    });
  });

  test('that gives no answer is kept, and that is said', async () => {
    begin();
    expect(await run('context', 'add', 'away', 'http://127.0.0.1:1', '--use')).toMatchObject({
      code: 0,
      answer: { answers: false, in_use: true },
    });
    expect(await run('agents', 'list')).toMatchObject({ code: 6 });
  });

  test('is not passed over in silence by a command for this machine', async () => {
    const { name } = await stage.launch('--headless');
    begin();
    await run('context', 'add', 'away', 'http://127.0.0.1:1', '--use');
    expect((await stage.agents('doctor', name)).stderr).toContain('works on this machine');
    // A flag that no server takes would be ignored.
    const refused = await run('agents', 'gateway', 'attach', name, '--port', '0');
    expect(refused).toMatchObject({ code: 2, failure: { error_code: 'usage' } });
    expect((await run('agents', 'gateway', 'attach', name, '--port', '0', '--context', 'here')).code).toBe(0);
  });

  test.each([
    [['context', 'add', 'here', 'http://127.0.0.1:1']],
    [['context', 'add', 'a b', 'http://127.0.0.1:1']],
    [['context', 'add', 'build', 'ftp://127.0.0.1']],
    [['context', 'add', 'build', 'http://127.0.0.1:1', '--token-file', '/no/such/file']],
    [['context', 'use', 'nobody']],
    [['context', 'rm', 'nobody']],
    [['context', 'rm', 'here']],
    [['agents', 'list', '--context', 'nobody']],
    [['agents', 'list', '--context', 'here', '--server', 'http://127.0.0.1:1']],
    [['config', 'set', 'tol', 'claude']],
    [['config', 'set', 'tool', 'vim']],
    [['config', 'set', 'retain-days', 'soon']],
    [['config', 'unset', 'tol']],
  ])('%j is refused, and nothing is written', async (command) => {
    begin();
    expect((await run(...command)).code).toBe(2);
    expect((await run('config', 'show')).answer).toMatchObject({ exists: false, context: null });
  });
});

describe('a setting', () => {
  const launchTool = ['--executable', standinProgram, '--headless', '--workdir', stage.folder, '--no-tmux'];

  test('holds for new agents, and a flag comes before it', async () => {
    begin();
    expect((await run('agents', 'launch', '--name', 'none', ...launchTool)).code).toBe(2);
    for (const [name, value] of [
      ['tool', 'claude'],
      ['retain-days', '30'],
      ['log-size', '20M'],
    ] as const)
      expect((await run('config', 'set', name, value)).code).toBe(0);
    expect((await run('config', 'show')).answer).toMatchObject({
      path: file,
      exists: true,
      settings: {
        tool: 'claude',
        'retain-days': '30',
        'log-size': '20M',
        'log-days': null,
        'log-files': null,
      },
    });
    const { answer } = await run('agents', 'launch', '--name', 'set', '--log-size', '1M', ...launchTool);
    onTestFinished(async () => void (await stage.agents('stop', 'set')));
    const keeping = () =>
      JSON.parse(readFileSync(join(answer.session_root, 'gateway', 'keeping.json'), 'utf8'));
    expect(keeping()).toMatchObject({ retain_days: 30, log_bytes: 1024 ** 2 });
    // An agent that is there keeps what it has.
    await run('config', 'set', 'retain-days', '5');
    await run('agents', 'gateway', 'attach', 'set', '--restart');
    expect(keeping()).toMatchObject({ retain_days: 30 });
    await run('config', 'unset', 'tool');
    expect((await run('agents', 'launch', '--name', 'none', ...launchTool)).code).toBe(2);
  });

  test('holds for `up`, which takes the flags, too', async () => {
    begin();
    await run('config', 'set', 'log-days', '7');
    const { answer } = await run('up', '--standin', '--name', 'up', '--retain-days', '3');
    onTestFinished(async () => void (await stage.agents('stop', 'up')));
    const path = join(answer.agent.session_root, 'gateway', 'keeping.json');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ retain_days: 3, log_days: 7 });
  });
});

test('a faulty file stops the commands that need it, with path and reason, and is left as it is', async () => {
  begin();
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, 'tol: claude\n');
  for (const command of [
    ['agents', 'list'],
    ['config', 'show'],
    ['config', 'set', 'tool', 'codex'],
  ])
    expect(await run(...command)).toMatchObject({
      code: 1,
      failure: { error_code: 'unusable_file', detail: expect.stringContaining(file) },
    });
  expect(readFileSync(file, 'utf8')).toBe('tol: claude\n');
  expect((await run('server', 'status')).code).toBe(0);
  expect((await run('agents', 'list', '--server', stage.url)).code).toBe(0);
});
