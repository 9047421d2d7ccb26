// `houmao-mgr uninstall`: what the program put there for itself goes, everything of agents stays and is named.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serverStage } from './server-stage.js';

const stage = serverStage();
const uninstall = async (...flags: string[]) => {
  const { code, stdout, stderr } = await stage.run('uninstall', ...flags, '--json');
  return { code, answer: JSON.parse(stdout || '{}'), failure: JSON.parse(stderr || '{}') };
};

test('removes nothing while a server or a gateway runs; then its own files, and says what stays', async () => {
  const { name, root } = await stage.launch('--headless');
  await stage.agents('gateway', 'attach', name);
  await stage.run('config', 'set', 'tool', 'claude');
  const script = join(stage.folder, '.houmao', 'boot.sh');
  const sqlite = join(stage.folder, '.houmao', 'sqlite');
  mkdirSync(sqlite, { recursive: true });
  writeFileSync(script, '#!/bin/sh\n');

  expect(await uninstall()).toMatchObject({
    code: 1,
    failure: {
      error_code: 'still_running',
      remedies: [
        { command: expect.stringContaining('server stop') },
        { command: expect.stringContaining(`agents stop ${name}`) },
      ],
    },
  });
  expect(await uninstall('--dry-run')).toMatchObject({ code: 0, answer: { removed: [script, sqlite] } });
  expect([existsSync(script), existsSync(sqlite)]).toEqual([true, true]);

  await stage.run('server', 'stop');
  await stage.agents('gateway', 'detach', name);
  const { code, answer } = await uninstall();
  expect([code, answer.removed, answer.running]).toEqual([0, [script, sqlite], []]);
  expect([existsSync(script), existsSync(sqlite), existsSync(root)]).toEqual([false, false, true]);
  const left = answer.left.map(({ path }: { path: string }) => path);
  expect(left).toContain(join(stage.folder, 'runtime'));
  expect(left).toContain(join(stage.folder, '.config', 'houmao', 'config.yaml'));
  expect(left.every((path: string) => existsSync(path))).toBe(true);
  expect((await uninstall()).answer.removed).toEqual([]);
});
