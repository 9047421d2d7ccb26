// The completions of the shells, each asked as it asks itself; and the colours.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { manage, managerEnvironment } from '../../support/manager.js';
import { ownTmux } from '../../support/own-tmux.js';
import { needsProgram } from '../../support/run/needs.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';

const folder = temporaryFolder();
const window = ownTmux();
const environment: NodeJS.ProcessEnv = { ...managerEnvironment(folder), NO_COLOR: '', FORCE_COLOR: '' };
const run = (...args: string[]) => manage(environment, args);

beforeAll(async () => {
  const tool = ['--tool', 'claude', '--executable', standinProgram, '--no-tmux', '--no-gateway'];
  for (const name of ['alpha', 'beta'])
    expect(await run('agents', 'launch', ...tool, '--workdir', folder, '--name', name)).toMatchObject({
      code: 0,
    });
});
afterAll(async () => {
  for (const name of ['alpha', 'beta']) await run('agents', 'stop', name);
});

const lines = [
  { typed: 'houmao-mgr agents req', expected: ['requests'] },
  { typed: 'houmao-mgr agents prompt ', expected: ['alpha', 'beta'] },
  { typed: 'houmao-mgr agents prompt --timeout 5m b', expected: ['beta'] },
  { typed: 'houmao-mgr agents prompt alpha --no-', expected: ['--no-wait'] },
  { typed: 'houmao-mgr agents launch --tool c', expected: ['claude', 'codex'] },
];

test.each(lines)('bash completes $typed', ({ typed, expected }) => {
  const words = typed.split(' ').map((word) => `'${word}'`);
  const script = `set -u; eval "$(houmao-mgr completion bash)"; eval "$(houmao-mgr completion bash)"
COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}
complete -p houmao-mgr >&2; _houmao_mgr; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const said = execFileSync('bash', ['--norc', '-c', script], {
    env: environment,
    encoding: 'utf8',
    stdio: 'pipe',
  });
  expect(said.trimEnd().split('\n')).toEqual(expected);
});

test('ids of requests and turns are offered where they are meant, with the prompt', async () => {
  const tool = ['--tool', 'claude', '--executable', standinProgram, '--no-tmux', '--workdir', folder];
  expect((await run('agents', 'launch', ...tool, '--name', 'gamma')).code).toBe(0);
  const answered = JSON.parse(
    (await run('agents', 'prompt', 'gamma', 'first words', '--json')).stdout,
  ).request;
  await run('agents', 'gateway', 'pause', 'gamma');
  const waiting = (await run('agents', 'prompt', 'gamma', '--no-wait', 'second words')).stdout.trim();
  const offered = async (...words: string[]) =>
    (await run('complete', 'fish', '--', ...words, '')).stdout.trimEnd().split('\n');
  expect(await offered('agents', 'requests', 'cancel', 'gamma')).toEqual([
    `${waiting}\taccepted: second words`,
  ]);
  expect(await offered('agents', 'requests', 'show', 'gamma')).toEqual([
    `${waiting}\taccepted: second words`,
    `${answered.request_id}\tcompleted: first words`,
  ]);
  const turns = [`${answered.turn.turn_id}\tcompleted: first words`];
  expect(await offered('agents', 'follow', 'gamma')).toEqual(turns);
  // Also where no gateway runs; of an agent that there is not, none.
  await run('agents', 'gateway', 'detach', 'gamma');
  expect(await offered('agents', 'turns', 'get', 'gamma')).toEqual(turns);
  expect(await offered('agents', 'requests', 'show', 'delta')).toEqual(['']);
  await run('agents', 'stop', 'gamma');
});

/** A shell in tmux has the PATH of its tmux server. */
const withProgram = `PATH="${join(folder, '.programs')}:$PATH"; `;

test('bash asks at Tab, and runs nothing of what is being typed', async () => {
  const variables = Object.entries(environment).flatMap(([name, value]) =>
    /^(HOUMAO_\w+|HOME|PATH)$/.test(name) ? ['-e', `${name}=${value}`] : [],
  );
  const ran = join(folder, 'ran');
  window.run('new-session', '-d', '-s', 'bash', '-x', '250', ...variables, 'bash --norc');
  const shown = () => window.run('capture-pane', '-p', '-t', 'bash').trimEnd();
  const type = (...keys: string[]) => window.run('send-keys', '-t', 'bash', ...keys);
  type(`${withProgram}eval "$(houmao-mgr completion bash)"; echo set`, 'Enter');
  await expect.poll(shown).toMatch(/^set$/m);
  type(`houmao-mgr agents requests list al`, 'Tab');
  await expect.poll(shown).toMatch(/ agents requests list alpha ?$/);
  type('C-u', `houmao-mgr agents prompt alpha "$(touch ${ran})" --new --no-wa`, 'Tab');
  await expect.poll(shown).toMatch(/ --new --no-wait ?$/);
  expect(() => execFileSync('ls', [ran], { stdio: 'pipe' })).toThrow();
});

test.each(lines)('fish completes $typed', needsProgram('fish'), ({ typed, expected }) => {
  const script = `houmao-mgr completion fish | source; complete -C '${typed}'`;
  const said = execFileSync('fish', ['--no-config', '-c', script], { env: environment, encoding: 'utf8' });
  expect(
    said
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t')[0]),
  ).toEqual(expected);
});

test('zsh completes at Tab', needsProgram('zsh'), async () => {
  const variables = Object.entries(environment).flatMap(([name, value]) =>
    /^(HOUMAO_\w+|HOME|PATH)$/.test(name) ? ['-e', `${name}=${value}`] : [],
  );
  window.run('new-session', '-d', '-s', 'zsh', '-x', '120', ...variables, 'zsh -f');
  const shown = () => window.run('capture-pane', '-p', '-t', 'zsh').trimEnd();
  const type = (...keys: string[]) => window.run('send-keys', '-t', 'zsh', ...keys);
  type(
    `${withProgram}autoload -U compinit && compinit -u; eval "$(houmao-mgr completion zsh)"; echo set`,
    'Enter',
  );
  await expect.poll(shown).toMatch(/^set$/m);
  type('houmao-mgr agents requests list al', 'Tab');
  await expect.poll(shown).toMatch(/ agents requests list alpha ?$/m);
  type('C-u', 'houmao-mgr agents req', 'Tab');
  await expect.poll(shown).toMatch(/ agents requests ?$/m);
});

test('a shell that nobody knows is refused', async () => {
  expect(await run('completion', 'tcsh')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('Allowed choices are bash, zsh, fish.'),
  });
});

const csi = '\u001b[';

test('what people read is coloured where it is asked for, and programs get none of it', async () => {
  const forced = { ...environment, FORCE_COLOR: '1' };
  const list = await manage(forced, ['agents', 'list']);
  expect(list.stdout).toContain(`${csi}1mNAME`);
  expect((await manage(forced, ['agents', 'doctor', 'alpha'])).stdout).toContain(`  ${csi}32mok${csi}39m `);
  expect((await manage(forced, ['agents', 'prompt', 'nobody', 'x'])).stderr).toContain(
    `${csi}31mhoumao-mgr:${csi}39m No agent is named`,
  );
  expect((await manage(forced, ['agents', '--help'])).stdout).toContain(`${csi}1mUsage:`);
  expect((await manage(forced, ['agents', 'list', '--json'])).stdout).not.toContain(csi);
  for (const args of [
    ['agents', 'list'],
    ['agents', '--help'],
  ])
    expect((await run(...args)).stdout).not.toContain(csi);
});

test('a terminal is given colours, unless NO_COLOR is set', async () => {
  const program = [process.execPath, join(folder, '.programs', 'houmao-mgr'), 'agents', 'list'].join(' ');
  const variables = Object.entries(environment).flatMap(([name, value]) =>
    /^(HOUMAO_\w+|HOME|PATH)$/.test(name) ? ['-e', `${name}=${value}`] : [],
  );
  const command = `${program}; NO_COLOR=1 ${program}; echo done; cat`;
  window.run('new-session', '-d', '-s', 'colours', '-x', '200', ...variables, command);
  const shown = () => window.run('capture-pane', '-e', '-p', '-t', 'colours');
  await expect.poll(shown).toMatch(/\ndone\n/);
  expect(shown().split(`${csi}1mNAME`)).toHaveLength(2);
  expect(shown().split('NAME')).toHaveLength(3);
});
