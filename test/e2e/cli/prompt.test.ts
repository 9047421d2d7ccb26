// How operators give prompts: from files, without waiting, with a limit, and what a terminal shows them meanwhile.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manage, managerEnvironment, type Ran, startManager } from '../../support/manager.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';
import { heldAgent } from '../recovery/evidence.js';

const folder = temporaryFolder();
const ledger = join(folder, 'ledger');
const environment = managerEnvironment(folder);
const window = ownTmux();
const run = (...args: string[]) => manage(environment, args);
const agents = (...args: string[]) => run('agents', ...args);
let server = '';

beforeAll(async () => {
  const home = join(folder, 'home');
  const tool = ['--tool', 'claude', '--headless', '--executable', standinProgram, '--home', home];
  const started = await run('server', 'start', '--port', '0', '--json');
  server = JSON.parse(started.stdout).api_base_url;
  const where = ['--workdir', folder, '--no-tmux', '--env', `HOUMAO_STANDIN_LEDGER=${ledger}`];
  expect(await agents('launch', ...tool, '--name', 'alpha', ...where)).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await agents('stop', 'alpha');
  await run('server', 'stop', '--port', '0');
});

/** The commands that were printed, as a shell would run them. */
const way = ({ stderr }: Ran, what: string): string[] =>
  new RegExp(`^ {2}${what} +houmao-mgr (.+)$`, 'm').exec(stderr)![1]!.split(' ');
const ways: [string, string, () => string[]][] = [
  ['to its gateway', 'direct', () => []],
  ['over a server', 'served', () => ['--server', server]],
];

describe.each(ways)('a prompt %s', (_what, word, over) => {
  test('that is not waited for prints its id, and the ways that lead to its answer', async () => {
    const queued = await agents('prompt', 'alpha', 'later', '--new', '--no-wait', ...over());
    expect(queued).toMatchObject({ code: 0, stdout: expect.stringMatching(/^gwreq-\S+\n$/) });
    expect(queued.stderr).toContain(queued.stdout.trim());
    expect(await run(...way(queued, 'wait for its answer'))).toMatchObject({
      code: 0,
      stdout: 'You said: later (turn 1 of this conversation)\n',
    });
    const reported = await agents('prompt', 'alpha', 'hi', '--new', '--no-wait', '--json', ...over());
    expect(reported).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(reported.stdout).request_id).toMatch(/^gwreq-/);
    await agents('prompt', 'alpha', 'behind it');
  });

  test('that takes too long is left with its id, is not refused, and its answer is got all the same', async () => {
    const prompt = ['agents', 'prompt', 'alpha', `[[slow=1500]] long ${word}`, '--timeout', '4s', ...over()];
    const leaving = startManager(environment, prompt);
    const goOn = await heldAgent(ledger, `long ${word}`);
    const left = await leaving.ran;
    expect(left).toMatchObject({ code: 3, stdout: '' });
    expect(left.stderr).toMatch(/houmao-mgr: No answer within 4 s\. Request \S+ goes on\.\n/);
    goOn();
    const waited = await run(...way(left, 'wait for its answer'), '--timeout', '2m');
    expect(waited).toMatchObject({ code: 0, stdout: expect.stringContaining(`You said: long ${word} `) });
  });

  test.each([[[]], [['--new']]])(
    'that waits in a paused queue is waited for by its id, and taken back: %j',
    async (flags) => {
      await agents('gateway', 'pause', 'alpha');
      const queued = await agents('prompt', 'alpha', 'held back', '--no-wait', ...flags, ...over());
      expect(queued).toMatchObject({ code: 0, stdout: expect.stringMatching(/^gwreq-\S+\n$/) });
      const waiting = startManager(environment, way(queued, 'wait for its answer'));
      await waiting.saying(/Waiting: The queue is paused/);
      expect(await run(...way(queued, 'take it back while it waits'))).toMatchObject({ code: 0 });
      const ended = await waiting.ran;
      expect(ended).toMatchObject({ code: 1, stdout: '' });
      expect(ended.stderr).toMatch(new RegExp(`Request ${queued.stdout.trim()} was cancelled`));
      await agents('gateway', 'resume', 'alpha');
    },
  );

  test('comes from a file or from standard input', async () => {
    const file = join(folder, 'prompt.txt');
    writeFileSync(file, 'from a file\n');
    const prompt = ['agents', 'prompt', 'alpha', '--new', ...over()];
    expect((await run(...prompt, '--file', file)).stdout).toContain('You said: from a file');
    expect((await manage(environment, [...prompt, '--file', '-'], 'piped')).stdout).toContain(
      'You said: piped',
    );
    expect((await manage(environment, [...prompt, '-'], 'piped too')).stdout).toContain(
      'You said: piped too',
    );
  });
});

test.each([
  [['hello', 'world'], "came as 2 words. Put it in quotes: houmao-mgr agents prompt alpha 'hello world'\n"],
  [[], 'A prompt is missing. Give it: houmao-mgr agents prompt alpha "Hello"'],
  [['hello', '--file', 'x'], 'Give the prompt once'],
  [['hello', '--timeout', '5x'], 'a duration, from 1s to 23d: '],
  [['hello', '--timeout', '0'], 'a duration'],
  [
    ['hello', '--no-wait', '--timeout', '5m'],
    "'--no-wait' cannot be used with option '--timeout <duration>'",
  ],
])('prompt alpha %j is refused with what to write instead', async (args, sentence) => {
  const ran = await agents('prompt', 'alpha', ...args);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(sentence);
});

test.each([
  ['a prompt', (): string[] => ['prompt', 'alpha', 'held']],
  ['a request', (id: string): string[] => ['requests', 'wait', 'alpha', id]],
])('%s that is waited for is found again at the other port of its gateway', async (_what, waiting) => {
  await agents('gateway', 'pause', 'alpha');
  const [id = ''] = (await agents('prompt', 'alpha', 'held', '--no-wait')).stdout.split('\n');
  const waits = startManager(environment, ['agents', ...waiting(id)]);
  await waits.saying(/Waiting: The queue is paused/);
  const before = JSON.parse((await agents('gateway', 'attach', 'alpha', '--json')).stdout);
  const after = JSON.parse(
    (await agents('gateway', 'attach', 'alpha', '--port', '0', '--restart', '--json')).stdout,
  );
  expect(after.gateway_url).not.toBe(before.gateway_url);
  await agents('gateway', 'resume', 'alpha');
  const ran = await waits.ran;
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^You said: held/) });
});

test('a file that cannot be read is named', async () => {
  expect(await agents('prompt', 'alpha', '--file', '/nowhere/prompt')).toMatchObject({
    code: 2,
    stderr: 'houmao-mgr: --file /nowhere/prompt does not exist.\n',
  });
});

test('a terminal shows in one line that moves how it stands, and keeps what happened', async () => {
  const quoted = [process.execPath, join(folder, '.programs', 'houmao-mgr')].join(' ');
  const variables = ['HOME', 'PATH', 'HOUMAO_GLOBAL_RUNTIME_DIR', 'HOUMAO_GLOBAL_REGISTRY_DIR'].flatMap(
    (name) => ['-e', `${name}=${environment[name]}`],
  );
  // Some shells end with Ctrl-C as well, after the program.
  const command = `trap : INT; ${quoted} agents prompt alpha '[[slow=60000]] moving'; echo code $?; cat`;
  window.run('new-session', '-d', '-s', 'watch', '-x', '100', '-y', '30', ...variables, command);
  const shown = () => window.run('capture-pane', '-p', '-t', 'watch').trimEnd();
  const moving = /^… running, \d:\d\d$/gm;
  await expect.poll(shown).toMatch(/^Delivered: .*\n… running, \d:\d\d$/m);
  const first = shown().match(moving)!;
  await expect.poll(() => shown().match(moving)?.[0]).not.toBe(first[0]);
  expect(shown().match(moving)).toHaveLength(1);
  window.run('send-keys', '-t', 'watch', 'C-c');
  await expect.poll(shown).toMatch(/Stopped waiting\. Request gwreq-\S+ goes on\.\n[\s\S]*\ncode 130$/);
  expect(shown()).not.toMatch(moving);
  expect(shown()).toMatch(/^Queued as gwreq-\S+\n(.*\n)*Running as turn-\S+\n/);
  await agents('interrupt', 'alpha');
});
