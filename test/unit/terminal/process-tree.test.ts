import { type ChildProcess, spawn } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { matchingProcesses, processNames, processTree } from '../../../src/terminal/process-tree.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

const one = (name: string, ...args: string[]) => ({ pid: 7, name, args });
const matches = (process: ReturnType<typeof one>, ...names: string[]) =>
  matchingProcesses([process], new Set(names)).length === 1;

test('a tool is known by the name the kernel keeps, by its program, and by the script that an interpreter runs', () => {
  expect(matches(one('claude', '/usr/bin/claude'), 'claude')).toBe(true);
  expect(matches(one('MainThread', '/usr/bin/Claude', '-c'), 'claude')).toBe(true);
  expect(matches(one('node', '/usr/bin/node', '--title=x', '/opt/bin/gemini', '-m', 'flash'), 'gemini')).toBe(
    true,
  );
  expect(matches(one('node', '/usr/bin/node', '/opt/server.js', '/opt/bin/gemini'), 'gemini')).toBe(false);
  expect(matches(one('vim', 'vim', 'claude'), 'claude')).toBe(false);
  expect(matches(one('sh', '-sh'), 'claude')).toBe(false);
  expect(matches(one('empty'), 'claude')).toBe(false);
});

test('names are listed once, sorted', () => {
  expect(processNames([one('node'), one('claude'), one('node')])).toEqual(['claude', 'node']);
});

test('a tree has a process and all below it, and what has ended is not in it', async () => {
  const program = join(temporaryFolder(), 'claude');
  symlinkSync('/bin/sleep', program);
  const shell = spawn('/bin/sh', ['-c', `/bin/sh -c '${program} 600; true'; true`], { stdio: 'ignore' });
  children.push(shell);
  const pid = shell.pid ?? 0;
  await expect
    .poll(() => matchingProcesses(processTree(pid), new Set(['claude'])).map(({ args }) => args))
    .toEqual([[program, '600']]);
  expect(processTree(pid)[0]?.pid).toBe(pid);
  const below = processTree(pid).slice(1);
  expect(below.length).toBeGreaterThanOrEqual(1);
  for (const child of below) process.kill(child.pid, 'SIGKILL');
  await expect.poll(() => processTree(pid)).toEqual([]);
});
