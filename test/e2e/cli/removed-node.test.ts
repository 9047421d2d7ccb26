// The Node that launched an agent is removed while its gateway lives, as a version manager does with an upgrade.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { manage, managerEnvironment } from '../../support/manager.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { managerProgram, standinProgram } from '../../support/test-session.js';

const folder = temporaryFolder();
const environment = managerEnvironment(folder);
const run = (...args: string[]) => manage(environment, ['agents', ...args]);
const launched: string[] = [];
afterAll(async () => {
  for (const name of launched) await run('stop', name);
});

const fitting = join(folder, 'fitting');
mkdirSync(fitting);
symlinkSync(process.execPath, join(fitting, 'node'));
const old = join(folder, 'old');
mkdirSync(old);
writeFileSync(join(old, 'node'), '#!/bin/sh\necho v18.20.4\n');
chmodSync(join(old, 'node'), 0o755);

/** Launches an agent by a Node of its own, which is removed then. @param path the gateway has. @returns that Node. */
function launchAndRemove(name: string, ...path: string[]): string {
  launched.push(name);
  const node = join(folder, `node-of-${name}`);
  copyFileSync(process.execPath, node);
  const what = ['--tool', 'claude', '--executable', standinProgram, '--no-tmux', '--name', name];
  const place = ['--workdir', folder, '--home', join(folder, 'home'), '--env', `PATH=${process.env.PATH}`];
  execFileSync(node, [managerProgram, 'agents', 'launch', ...what, ...place, '--json'], {
    env: { ...environment, PATH: path.join(delimiter) },
    stdio: 'pipe',
  });
  rmSync(node);
  return node;
}

/** The doctor's finding on the Node of the gateway. */
async function nodeOf(name: string): Promise<{ state: string; detail: string } | undefined> {
  const { agents } = JSON.parse((await run('doctor', name, '--json')).stdout);
  return agents[0].findings.find(({ check }: { check: string }) => check === 'node of the gateway');
}

test('turns start with the Node on PATH that fits, and the doctor names the file that is gone', async () => {
  const node = launchAndRemove('upgraded', old, fitting);
  const { code, stdout, stderr } = await run('prompt', 'upgraded', 'hello', '--timeout', '40');
  expect([code, stderr, stdout]).toEqual([0, expect.any(String), expect.stringContaining('hello')]);
  const found = await nodeOf('upgraded');
  expect(found).toMatchObject({ state: 'warning', detail: expect.stringContaining(node) });
  expect(found?.detail).toContain(join(fitting, 'node'));
  await run('gateway', 'attach', 'upgraded', '--restart');
  expect(await nodeOf('upgraded')).toBeUndefined();
});

test('without one that fits a turn fails with the name of the file, and so does the doctor', async () => {
  const node = launchAndRemove('stranded', old);
  const { code, stderr } = await run('prompt', 'stranded', 'hello', '--timeout', '40');
  expect(code).toBe(1);
  expect(stderr).toContain(`${node}, which runs this program, was removed`);
  expect(await nodeOf('stranded')).toMatchObject({ state: 'failed', detail: expect.stringContaining(node) });
});
