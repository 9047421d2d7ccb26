// Commands for several agents: stop, restart, interrupt, prompt and rm, by names and with --all.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { manage, managerEnvironment, type Ran, startManager } from '../../support/manager.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';

interface ForEach {
  readonly agents: readonly {
    readonly name: string;
    readonly success: boolean;
    readonly result: Record<string, unknown> | null;
    readonly failure: { error_code: string } | null;
  }[];
}

let run: (...args: string[]) => Promise<Ran>;
let environment: NodeJS.ProcessEnv;

beforeEach(async () => {
  const folder = temporaryFolder();
  environment = managerEnvironment(folder);
  run = (...args) => manage(environment, args);
  const launch = ['--tool', 'claude', '--headless', '--no-tmux', '--executable', standinProgram];
  for (const name of ['alpha', 'beta'])
    await run('agents', 'launch', ...launch, '--home', join(folder, 'home'), '--name', name);
  onTestFinished(async () => void (await run('agents', 'stop', '--all')));
});

const answerOf = ({ stdout }: Ran): ForEach => JSON.parse(stdout);
const namesLeft = async () =>
  JSON.parse((await run('agents', 'ls', '--json')).stdout).agents.map(
    ({ agent_name }: { agent_name: string }) => agent_name,
  );

test('a prompt goes to several at the same time, and each answers', async () => {
  const { code, stdout } = await run('agents', 'prompt', 'alpha', 'Hello', '--also', 'beta', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout).agents).toEqual(
    ['alpha', 'beta'].map((name) => expect.objectContaining({ name, success: true })),
  );
  const all = await run('agents', 'prompt', '--all', 'Hello to all');
  for (const name of ['alpha', 'beta'])
    expect(all.stdout).toMatch(new RegExp(`^${name}: .*Hello to all`, 'm'));
});

test('what fails for one is done for the others; the exit code is that of the failure', async () => {
  const ran = await run('agents', 'stop', 'nobody', 'alpha', '--json');
  expect(ran.code).toBe(5);
  expect(JSON.parse(ran.stderr)).toMatchObject({ error_code: 'failed_for_some' });
  expect(answerOf(ran).agents).toMatchObject([
    { name: 'nobody', success: false, result: null },
    { name: 'alpha', success: true, result: { agent_name: 'HOUMAO-alpha' }, failure: null },
  ]);
  expect(await namesLeft()).toEqual(['HOUMAO-beta']);
});

test('--all is every agent, and none is no failure; a name is needed otherwise', async () => {
  expect(answerOf(await run('agents', 'interrupt', '--all', '--json')).agents).toHaveLength(2);
  expect(answerOf(await run('agents', 'restart', '--all', '--json')).agents).toMatchObject([
    { name: 'alpha', result: { gateway: 'there' } },
    { name: 'beta', result: { gateway: 'there' } },
  ]);
  expect((await run('agents', 'stop')).code).toBe(2);
  expect((await run('agents', 'stop', 'alpha', '--all')).code).toBe(2);
  expect((await run('agents', 'stop', '--all')).code).toBe(0);
  expect(answerOf(await run('agents', 'stop', '--all', '--json')).agents).toEqual([]);
});

test('rm stops an agent and deletes its files; one that was stopped before, too', async () => {
  const { session_root } = JSON.parse((await run('agents', 'stop', 'alpha', '--json')).stdout);
  expect((await run('agents', 'rm', 'beta')).code).toBe(2);
  expect(await namesLeft()).toEqual(['HOUMAO-beta']);
  const removed = answerOf(await run('agents', 'rm', 'alpha', 'beta', '--yes', '--json')).agents;
  expect(removed).toMatchObject([
    { name: 'alpha', success: true, result: { stopped: false } },
    { name: 'beta', success: true, result: { stopped: true } },
  ]);
  expect(existsSync(session_root)).toBe(false);
  expect(await namesLeft()).toEqual([]);
  expect((await run('agents', 'rm', 'alpha', '--yes')).code).toBe(5);
});

test('list --watch gives the list again when something about an agent has changed', async () => {
  const { child, ran } = startManager(environment, ['agents', 'ps', '--watch', '--json']);
  let lists: string[][] = [];
  let text = '';
  child.stdout!.on('data', (piece: Buffer) => {
    text += piece;
    lists = text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).agents.map(({ agent_name }: { agent_name: string }) => agent_name));
  });
  await expect.poll(() => lists.at(-1)).toEqual(['HOUMAO-alpha', 'HOUMAO-beta']);
  await run('agents', 'stop', 'beta');
  await expect.poll(() => lists.at(-1)).toEqual(['HOUMAO-alpha']);
  child.kill('SIGINT');
  expect((await ran).code).toBe(0);
});
