import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, onTestFinished, test } from 'vitest';
import {
  addLaunchFlags,
  type LaunchFlags,
  requestedLaunch,
} from '../../../../src/cli/flags/launch-options.js';

/** The request of `agents launch` with a file of variables that has these lines. */
function launchedWith(content: string) {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-env-file-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'agent.env');
  writeFileSync(file, content);
  const command = addLaunchFlags(new Command('launch'));
  command.parse(['--tool', 'claude', '--headless', '--env-file', file, '--env', 'LAST=flag'], {
    from: 'user',
  });
  return { file, ask: () => requestedLaunch(command.opts<LaunchFlags>(), []) };
}

test('a file of variables is read as shells write them, and flags come after it', () => {
  const { ask } = launchedWith('# for the agent\n\nONE=1\nexport TWO=a b=c\n  THREE=\nHOME\n');
  expect(ask().variables).toEqual([
    { name: 'ONE', value: '1' },
    { name: 'TWO', value: 'a b=c' },
    { name: 'THREE', value: '' },
    { name: 'HOME', value: null },
    { name: 'LAST', value: 'flag' },
  ]);
});

test.each(['2X=1', 'export 2X', 'unset ONE', '=1'])('a line %j of it is refused by file and line', (line) => {
  const { file, ask } = launchedWith(`ONE=1\n${line}\n`);
  expect(ask).toThrow(
    expect.objectContaining({ exitCode: 2, message: expect.stringContaining(`--env-file ${file}, line 2`) }),
  );
});
