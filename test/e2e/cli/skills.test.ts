import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { manage, managerEnvironment } from '../../support/manager.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';

const folder = temporaryFolder();
const environment: NodeJS.ProcessEnv = { ...managerEnvironment(folder), TMUX_TMPDIR: folder, TMUX: '' };
const run = (...args: string[]) => manage(environment, args);
const skill = (home: string): string => join(folder, home, 'skills', 'houmao', 'SKILL.md');
const text = readFileSync(new URL('../../../skills/houmao/SKILL.md', import.meta.url), 'utf8');

const launch = (name: string, ...more: string[]) => {
  const own = ['--name', name, '--home', join(folder, name), '--workdir', folder];
  const how = ['--tool', 'claude', '--headless', '--no-tmux', '--no-gateway', '--executable', standinProgram];
  return run('agents', 'launch', ...how, ...own, ...more);
};

afterAll(async () => {
  await run('agents', 'stop', 'plain', 'skilled');
});

test('an agent launched with --skills finds the skill for work with other agents, and no other agent does', async () => {
  expect(await launch('plain')).toMatchObject({ code: 0 });
  expect(existsSync(skill('plain'))).toBe(false);
  expect(await launch('skilled', '--skills')).toMatchObject({ code: 0 });
  expect(readFileSync(skill('skilled'), 'utf8')).toBe(text);
});

test('each command that the skill names is there, with its options', async () => {
  const commands = [...text.matchAll(/`houmao-mgr ([^`]+)`/g)].map(([, words = '']) => words);
  expect(commands.length).toBeGreaterThan(8);
  for (const words of commands) {
    const [, names = ''] = /^((?:[a-z-]+ )*?[a-z-]+)(?= (?:reviewer|"|-)|$)/.exec(words) ?? [];
    const { code, stdout } = await run(...names.split(' '), '--help');
    expect([words, code]).toEqual([words, 0]);
    expect(stdout).toContain(`houmao-mgr ${names} `);
    for (const [option] of words.matchAll(/--[a-z-]+/g))
      expect([words, stdout]).toEqual([words, expect.stringContaining(option)]);
  }
});
