import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Hooks, readHooks } from '../../../../standin/src/tui/hooks.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const settings = (...commands: (string | object)[]): string => {
  const hooks = commands.map((each) => (typeof each === 'string' ? { command: each } : each));
  return JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks }] } });
};
const run = (home: string, given: string | null) =>
  new Hooks(readHooks(home, given), () => ({ session_id: 's' })).run('UserPromptSubmit', { prompt: 'p' });

test('the hooks of the user and of the command line get the same', async () => {
  const home = temporaryFolder();
  const reported = (name: string) => join(home, name);
  writeFileSync(join(home, 'settings.json'), settings(`cat >>${reported('user')}`));
  writeFileSync(
    join(home, 'given.json'),
    settings(`cat >>${reported('given')}`, 'exit 1', '/no/such/program'),
  );
  expect(await run(home, join(home, 'given.json'))).toBeNull();
  for (const name of ['user', 'given'])
    expect(readFileSync(reported(name), 'utf8')).toBe(
      '{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"p"}\n',
    );
});

test('exit code 2 refuses, but not of one that nobody waits for; what takes too long is killed', async () => {
  const home = temporaryFolder();
  expect(await run(home, settings('echo no >&2; exit 2'))).toBe('no');
  expect(await run(home, settings({ command: 'exit 2', async: true }))).toBeNull();
  expect(await run(home, settings({ command: 'exec sleep 60', timeout: 0.1 }))).toBeNull();
  expect(await run(home, null)).toBeNull();
});
