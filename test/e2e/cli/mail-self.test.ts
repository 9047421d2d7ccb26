// An agent's commands for its own mail while it works: the program finds its session by itself.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { manage, managerEnvironment } from '../../support/manager.js';
import { managerProgram, standinProgram } from '../../support/test-session.js';

const folder = mkdtempSync(join(tmpdir(), 'houmao-cli-self-'));
const environment: NodeJS.ProcessEnv = { ...managerEnvironment(folder), TMUX_TMPDIR: folder, TMUX: '' };
const run = (...args: string[]) => manage(environment, args);
afterAll(async () => {
  for (const name of ['alpha', 'beta']) await run('agents', 'stop', name);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Launches an agent whose tool sends a message to itself before it does anything else. */
async function launchWriter(name: string, ...more: string[]): Promise<void> {
  mkdirSync(join(folder, name));
  const tool = join(folder, name, 'claude');
  const send = ['agents', 'self', 'mail', 'send', '--subject', `from ${name}`, '--body-content', 'x'];
  const words = [...send, '--to', `${name}@houmao.localhost`, '--json'].map((word) => `'${word}'`);
  const standin = `exec '${process.execPath}' '${standinProgram}' "$@"`;
  const lines = [
    ...['#!/bin/sh', `case "$*" in *--version*) ${standin};; esac`],
    `'${process.execPath}' '${managerProgram}' ${words.join(' ')} </dev/null >'${join(folder, name)}/sent' 2>&1`,
    ...[`mv '${join(folder, name)}/sent' '${join(folder, name)}/sent.json'`, standin, ''],
  ];
  writeFileSync(tool, lines.join('\n'), { mode: 0o755 });
  const launched = await run(
    ...['agents', 'launch', '--tool', 'claude', '--name', name, '--executable', tool, '--workdir', folder],
    ...['--home', join(folder, 'home'), '--mailbox', join(folder, 'mailbox'), ...more],
  );
  expect([launched.code, launched.stderr]).toEqual([0, expect.any(String)]);
}

const sentBy = (name: string) => {
  const path = join(folder, name, 'sent.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
};

test('a headless agent sends mail in its turn, through the gateway that runs the turn', async () => {
  await launchWriter('alpha', '--headless', '--no-tmux');
  expect(await run('agents', 'prompt', 'alpha', 'hello')).toMatchObject({ code: 0 });
  expect(sentBy('alpha')).toMatchObject({
    address: 'alpha@houmao.localhost',
    execution_path: 'gateway_backed',
    message: { subject: 'from alpha', box: 'inbox' },
  });
});

test('an agent in a terminal sends mail from there, also without a gateway', async () => {
  await launchWriter('beta', '--tui', '--no-gateway');
  await expect
    .poll(() => sentBy('beta'))
    .toMatchObject({
      address: 'beta@houmao.localhost',
      execution_path: 'manager_direct',
      message: { subject: 'from beta', box: 'inbox' },
    });
});
