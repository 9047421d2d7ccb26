// The shell of a user may run nothing, or end at once: the agent's session is begun and kept by commands of ours.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { manage, managerEnvironment } from '../../support/manager.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';

describe.each([
  ['a service, whose shell takes no commands', '/usr/sbin/nologin', {}],
  ['a tmux.conf with a command that ends', '/bin/sh', { '.tmux.conf': 'set -g default-command "exit 3"\n' }],
  ['a login file that ends', '/bin/bash', { '.bash_profile': 'exit 4\n' }],
])('with %s', (_what, SHELL, files) => {
  const tmux = ownTmux();
  const folder = temporaryFolder(tmux);
  const { PATH, HOME, ...ours } = managerEnvironment(folder);
  const environment = { ...ours, ...tmux.tmux.environment, PATH, HOME, SHELL };
  const agents = (...args: string[]) => manage(environment, ['agents', ...args]);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  afterEach(async () => {
    await agents('stop', 'alpha');
  });

  test.each(['--headless', '--tui'])('an agent %s is launched, answers, and stays', async (kind) => {
    const tool = ['--tool', 'claude', '--executable', standinProgram, '--home', join(folder, 'home')];
    const launched = await agents('launch', ...tool, kind, '--workdir', folder, '--name', 'alpha');
    expect([launched.code, launched.stderr]).toEqual([0, expect.any(String)]);
    for (const prompt of ['one', 'two'])
      expect((await agents('prompt', 'alpha', prompt)).stdout).toContain(`You said: ${prompt}`);
    expect(tmux.run('list-sessions', '-F', '#{session_name}')).toContain('HOUMAO-alpha');
    expect((await agents('doctor', 'alpha')).code).toBe(0);
  });
});
