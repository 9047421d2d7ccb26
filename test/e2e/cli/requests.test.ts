// The commands about a prompt for which operators no longer wait: Ctrl-C, a silent gateway, and the ways back.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manage, managerEnvironment, startManager } from '../../support/manager.js';
import { standinProgram } from '../../support/test-session.js';
import { heldAgent } from '../recovery/evidence.js';

const folder = mkdtempSync(join(tmpdir(), 'houmao-cli-requests-'));
const ledger = join(folder, 'ledger');
const environment: NodeJS.ProcessEnv = {
  ...managerEnvironment(folder),
  // For a gateway on another machine: those of this one are reached all the same.
  HOUMAO_GATEWAY_TOKEN: 'of-another-gateway',
};
const run = (...args: string[]) => manage(environment, args);
const start = (...args: string[]) => startManager(environment, args);
const gateway = (...args: string[]) => run('agents', 'gateway', ...args);
const requests = (...args: string[]) => run('agents', 'requests', ...args);

beforeAll(async () => {
  const home = join(folder, 'home');
  const tool = ['--tool', 'claude', '--headless', '--executable', standinProgram, '--home', home];
  const launched = await run(
    'agents',
    'launch',
    ...tool,
    '--workdir',
    folder,
    '--name',
    'alpha',
    '--no-tmux',
    ...['--env', `HOUMAO_STANDIN_LEDGER=${ledger}`],
  );
  expect(launched.code).toBe(0);
});
afterAll(async () => {
  await run('agents', 'stop', 'alpha');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** The commands that a failure prints, as a shell would run them. */
function waysBack(stderr: string): Record<string, string[]> {
  const found = [...stderr.matchAll(/^ {2}(.+?) {2,}houmao-mgr (.+)$/gm)];
  return Object.fromEntries(found.map(([, what, command]) => [what, command!.split(' ')]));
}
const idIn = (stderr: string): string => /Queued as (gwreq-\S+)/.exec(stderr)![1]!;

test('Ctrl-C while the agent works says that the prompt goes on, and the printed command gets the answer', async () => {
  const prompt = start('agents', 'prompt', 'alpha', '[[slow=2000]] a long one', '--new');
  const goOn = await heldAgent(ledger, 'a long one');
  await prompt.saying(/Running as turn-/);
  prompt.child.kill('SIGINT');
  const stopped = await prompt.ran;
  goOn();
  const id = idIn(stopped.stderr);
  expect(stopped).toMatchObject({ code: 130, stdout: '' });
  expect(stopped.stderr).toContain(`houmao-mgr: Stopped waiting. Request ${id} goes on.\n`);
  expect(await run(...waysBack(stopped.stderr)['wait for its answer']!)).toMatchObject({
    code: 0,
    stdout: 'You said: a long one (turn 1 of this conversation)\n',
  });
  const seen = (await requests('get', 'alpha', id)).stdout;
  expect(seen).toContain(`${id}  completed\n`);
  expect(seen).toMatch(/^ {2}turn +turn-\S+, delivery confirmed, completed$/m);
  expect(seen).toMatch(/\n\nYou said: a long one \(turn 1 of this conversation\)\n$/);
});

test('a request that runs is not cancelled, and the way to stop its turn and no other one is shown', async () => {
  const prompting = start('agents', 'prompt', 'alpha', '[[slow=60000]] to be stopped');
  const [id = ''] = /gwreq-\S+/.exec(await prompting.saying(/gwreq-\S+/)) ?? [];
  const turnOf = async () => JSON.parse((await requests('show', 'alpha', id, '--json')).stdout).turn?.turn_id;
  await expect.poll(turnOf).toBeDefined();
  const turn: string = await turnOf();
  const refused = await requests('cancel', 'alpha', id);
  expect(refused).toMatchObject({
    code: 1,
    stderr: `houmao-mgr: ${id} is no longer waiting: its turn ${turn} is running. Stop it: houmao-mgr agents interrupt alpha --turn ${turn}\n`,
  });
  const missed = await run('agents', 'interrupt', 'alpha', '--turn', 'turn-of-nobody', '--json');
  expect([missed.code, JSON.parse(missed.stderr).error_code]).toEqual([1, 'turn_not_running']);
  expect((await run('agents', 'interrupt', 'alpha', '--turn', turn)).code).toBe(0);
  expect((await prompting.ran).code).not.toBe(0);
});

test('labels of a prompt are shown with its request, and requests are found by them', async () => {
  const labels = ['--metadata', 'ticket=HOU-1', '--metadata', 'note=déjà=vu 🙂'];
  const metadata = { ticket: 'HOU-1', note: 'déjà=vu 🙂' };
  const prompted = await run('agents', 'prompt', 'alpha', 'labelled', ...labels, '--new', '--json');
  const { request } = JSON.parse(prompted.stdout);
  expect(request).toMatchObject({ metadata, turn: { metadata } });
  const shown = (await requests('show', 'alpha', request.request_id)).stdout;
  expect(shown).toMatch(/^ {2}metadata +ticket=HOU-1, note=déjà=vu 🙂$/m);
  const found = async (...wanted: string[]) => {
    const { stdout } = await requests('list', 'alpha', '--json', ...wanted);
    return JSON.parse(stdout).requests.map((one: { request_id: string }) => one.request_id);
  };
  expect(await found(...labels)).toEqual([request.request_id]);
  expect(await found('--metadata', 'ticket=HOU-1', '--metadata', 'note=')).toEqual([]);
  expect((await requests('list', 'alpha', '--metadata', 'ticket=HOU-2')).stdout).toBe(
    'There are no requests with ticket=HOU-2.\n',
  );
});

test('labels that are none are refused before anything is asked, with the flag', async () => {
  for (const given of [['ticket'], ['=HOU-1'], ['a b=c'], ['a=1', '--metadata', 'a=2']]) {
    const refused = await run('agents', 'prompt', 'alpha', 'never', '--metadata', ...given);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('--metadata');
  }
  const many = Array.from({ length: 17 }, (_, index) => ['--metadata', `k${index}=v`]).flat();
  const refused = await run('agents', 'prompt', 'alpha', 'never', ...many);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('--metadata: must be a JSON object of at most 16 strings');
});

test('a request that has ended cannot be cancelled, and nobody is sent to interrupt something else', async () => {
  const { stdout } = await run('agents', 'prompt', 'alpha', 'soon over', '--new', '--json');
  const { request } = JSON.parse(stdout);
  const refused = await requests('cancel', 'alpha', request.request_id);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('has ended (completed)');
  expect(refused.stderr).not.toContain('interrupt');
});

test('the other printed commands look at a turn that runs, and end it', async () => {
  const prompt = start('agents', 'prompt', 'alpha', '[[slow=60000]] an endless one', '--new');
  await prompt.saying(/Running as turn-/);
  prompt.child.kill('SIGINT');
  const { stderr } = await prompt.ran;
  const ways = waysBack(stderr);
  expect((await run(...ways['look at it']!)).stdout).toContain(`${idIn(stderr)}  running\n`);
  expect(Object.values(ways).flat()).not.toContain('cancel');
  const wait = start(...ways['wait for its answer']!);
  await wait.saying(/Running as turn-/);
  expect((await run(...ways['stop it']!)).stdout).toMatch(/^Turn turn-\S+ was interrupted/);
  const ended = await wait.ran;
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toContain('The prompt failed (interrupted)');
});

test('Ctrl-C before anything was sent says that nothing was queued', async () => {
  const before = await requests('list', 'alpha', '--json');
  const prompt = start('agents', 'prompt', 'alpha', '-');
  await prompt.saying(/Reading the prompt from standard input/);
  prompt.child.kill('SIGINT');
  const stopped = await prompt.ran;
  expect(stopped).toMatchObject({ code: 130, stdout: '' });
  expect(stopped.stderr).toMatch(/^houmao-mgr: Stopped\. Nothing was queued\.\n$/m);
  expect((await requests('list', 'alpha', '--json')).stdout).toBe(before.stdout);
});

describe('while the queue is paused', () => {
  test('a gateway that falls silent is no refusal: exit 3, and the prompt is waited for after it is back', async () => {
    await gateway('pause', 'alpha');
    const prompt = start('agents', 'prompt', 'alpha', 'held back', '--new', '--silence-limit', '1');
    await prompt.saying(/Waiting: The queue is paused/);
    await gateway('detach', 'alpha');
    const silent = await prompt.ran;
    const id = idIn(silent.stderr);
    expect(silent).toMatchObject({ code: 3, stdout: '' });
    expect(silent.stderr).toContain(`houmao-mgr: Request ${id} was not refused; `);
    expect(silent.stderr).toContain(`Request ${id} was accepted `);
    const ways = waysBack(silent.stderr);
    expect((await run(...ways['if no gateway answers']!)).code).toBe(0);
    expect((await run(...ways['look at it']!)).stdout).toContain('waiting   The queue is paused');
    await gateway('resume', 'alpha');
    expect(await run(...ways['wait for its answer']!)).toMatchObject({
      code: 0,
      stdout: 'You said: held back (turn 1 of this conversation)\n',
    });
  });

  test('Ctrl-C while it waits leads to the command that takes it back', async () => {
    await gateway('pause', 'alpha');
    const prompt = start('agents', 'prompt', 'alpha', 'never to run', '--json');
    // --json says nothing of the progress: the list does.
    const queued = async () =>
      JSON.parse((await requests('list', 'alpha', '--state', 'accepted', '--json')).stdout);
    await expect.poll(async () => (await queued()).requests.length).toBe(1);
    const id: string = (await queued()).requests[0].request_id;
    prompt.child.kill('SIGINT');
    const stopped = await prompt.ran;
    expect(stopped).toMatchObject({ code: 130, stdout: '' });

    const wait = start('agents', 'requests', 'wait', 'alpha', id);
    await wait.saying(/Waiting: The queue is paused/);
    const { remedies, ...failure } = JSON.parse(stopped.stderr);
    expect(failure).toMatchObject({ error_code: 'aborted', request_id: id });
    const takeBack = remedies.find(({ label }: { label: string }) => /^take it back/.test(label)).command;
    expect(await run(...takeBack.split(' ').slice(1))).toMatchObject({
      code: 0,
      stdout: `Cancelled ${id}; it will not run.\n`,
    });
    const ended = await wait.ran;
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/was cancelled before it ran/);
    expect((await requests('list', 'alpha', '--state', 'cancelled')).stdout).toMatch(
      new RegExp(
        `^REQUEST +STATE +TURN +ACCEPTED +PROMPT\n${id} +cancelled +[\\d:]{8} \\(.*?\\) +never to run\n$`,
      ),
    );
    await gateway('resume', 'alpha');
  });
});

test('the same prompt with the same key is queued once', async () => {
  const prompt = () =>
    run('agents', 'prompt', 'alpha', 'once', '--new', '--idempotency-key', 'mine', '--json');
  const [first, second] = [JSON.parse((await prompt()).stdout), JSON.parse((await prompt()).stdout)];
  expect(first.answer).toBe('You said: once (turn 1 of this conversation)');
  expect(second).toEqual(first);
  const { request_id: id } = first.request;
  expect(JSON.parse((await requests('wait', 'alpha', id, '--json')).stdout)).toEqual(first);
  expect(JSON.parse((await requests('get', 'alpha', id, '--json')).stdout)).toEqual(first.request);
});

test('a key that the gateway refuses is named by its flag', async () => {
  const refused = await run('agents', 'prompt', 'alpha', 'never', '--idempotency-key', 'a b');
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('--idempotency-key: ');
});

test('a list says when there is more', async () => {
  for (const text of ['one', 'two']) await run('agents', 'prompt', 'alpha', text);
  const listed = await requests('list', 'alpha', '--limit', '1');
  expect(listed.stdout.split('\n')).toHaveLength(3);
  expect(listed.stderr).toContain('There are older ones');
  expect((await requests('list', 'alpha', '--state', 'running')).stdout).toBe(
    'There are no running requests.\n',
  );
});

test.each([
  [['show', 'alpha', 'gwreq-none'], 5, 'List them: houmao-mgr agents requests list alpha'],
  [['wait', 'alpha', 'gwreq-none'], 5, 'No request `gwreq-none` on this gateway.'],
  [['cancel', 'alpha', 'gwreq-none'], 5, 'No request `gwreq-none` on this gateway.'],
  [['list', 'nobody'], 5, 'No agent is named nobody'],
  [['list', 'alpha', '--state', 'asleep'], 2, 'Allowed choices are accepted, running'],
  [['list', 'alpha', '--limit', '201'], 2, 'whole number, from 1 to 200'],
  [['wait', 'alpha'], 2, "Missing required argument 'request-id'"],
  [['wait', 'alpha', 'gwreq-none', '--silence-limit', '0'], 2, 'a duration, from 1s'],
])('requests %j is answered in a sentence', async (args, code, sentence) => {
  const ran = await requests(...args);
  expect(ran).toMatchObject({ code, stdout: '' });
  expect(ran.stderr).toContain(sentence);
  expect(ran.stderr).not.toMatch(/ at .*\.js:\d+/);
});
