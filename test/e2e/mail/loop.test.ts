import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../../support/http.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import { standinProgram } from '../../support/test-session.js';
import { usePrivateTmux } from '../recovery/private-tmux.js';
import { about, isDone, type LoopAgent, mail, twoRounds, wokenTurns } from './mail-loop.js';

// The whole way: launched with a mailbox, woken by mail, the mail worked through and answered, the other one woken by it.

const tmux = usePrivateTmux();
const folder = mkdtempSync(join(tmpdir(), 'houmao-loop-'));
const environment = managerEnvironment(folder);
const agents: Record<string, LoopAgent> = {};

async function launch(name: string, mode: '--headless' | '--tui'): Promise<LoopAgent> {
  const home = join(folder, name);
  mkdirSync(home);
  const { code, stdout, stderr } = await manage(environment, [
    ...['agents', 'launch', '--tool', 'claude', mode, '--name', name, '--json'],
    ...['--workdir', home, '--home', home, '--executable', standinProgram],
    ...['--mailbox', join(folder, 'mailbox'), '--env', 'HOUMAO_STANDIN_MAIL=1'],
  ]);
  expect([code, stderr]).toEqual([0, '']);
  const url = JSON.parse(stdout).gateway_url;
  const notifier = await call(url, 'PUT', '/v1/mail-notifier', { interval_seconds: 3600 });
  expect(notifier.status).toBe(200);
  return { name, url, address: `${name}@houmao.localhost` };
}

beforeAll(async () => {
  agents.headless = await launch('headless', '--headless');
  agents.terminal = await launch('terminal', '--tui');
});
afterAll(async () => {
  for (const name of ['headless', 'terminal']) await manage(environment, ['agents', 'stop', name]);
  tmux.remove();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test('two agents work through their mail, each woken once by each message', () => {
  const { headless, terminal } = agents as Record<'headless' | 'terminal', LoopAgent>;
  return twoRounds(headless, terminal);
});

test('a note of the operator is answered, and one that takes no replies is archived all the same', async () => {
  const { headless } = agents as Record<'headless', LoopAgent>;
  const before = (await wokenTurns(headless)).length;
  await mail(headless, 'post', { subject: 'Resume', body_content: '' });
  await expect.poll(() => about(headless, 'archive', 'Resume')).toMatchObject([{ answered: true }]);
  await expect.poll(() => isDone(headless)).toBe(true);
  await mail(headless, 'post', { subject: 'For your information', body_content: '', reply_policy: 'none' });
  await expect.poll(() => about(headless, 'archive', 'information')).toMatchObject([{ answered: false }]);
  await expect.poll(() => isDone(headless)).toBe(true);
  expect(await wokenTurns(headless)).toHaveLength(before + 2);
});
