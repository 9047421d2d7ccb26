// The operators' view of what happens: `agents events` and `agents logs`, over restarts of the gateway.
import { appendFileSync, existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { call } from '../../support/http.js';
import { manage, managerEnvironment, type RunningManager, startManager } from '../../support/manager.js';
import { peer } from '../../support/peer.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';

const folder = temporaryFolder();
const environment = managerEnvironment(folder);
const run = (...args: string[]) => manage(environment, args);
const agents = (...args: string[]) => run('agents', ...args);
const gateway = (...args: string[]) => agents('gateway', ...args);
let server = '';
let root = '';

beforeAll(async () => {
  const tool = ['--tool', 'claude', '--headless', '--executable', standinProgram];
  const where = ['--home', join(folder, 'home'), '--workdir', folder, '--no-tmux', '--json'];
  server = JSON.parse((await run('server', 'start', '--port', '0', '--json')).stdout).api_base_url;
  root = JSON.parse((await agents('launch', ...tool, ...where, '--name', 'alpha')).stdout).session_root;
});
afterAll(async () => {
  await agents('stop', 'alpha');
  await run('server', 'stop', '--port', '0');
});

/** Everything that a program has printed, as it comes. */
function outputOf({ child }: RunningManager): () => string {
  let text = '';
  child.stdout?.on('data', (more: string) => {
    text += more;
  });
  return () => text;
}

const ways: [string, () => string[]][] = [
  ['at its gateway', () => []],
  ['over a server', () => ['--server', server]],
];

describe.each(ways)('events %s', (_what, over) => {
  test('are a line each, of one kind or behind a number where that is asked for', async () => {
    const prompted = JSON.parse((await agents('prompt', 'alpha', 'hi', '--json')).stdout);
    const { request_id, turn } = prompted.request;
    const { stdout } = await agents('events', 'alpha', ...over());
    const time = '\\d{4}-\\d\\d-\\d\\d [\\d:]{8}';
    expect(stdout).toMatch(
      new RegExp(`^ +\\d+  ${time}  accepted +accepted .*request_id=${request_id}`, 'm'),
    );
    expect(stdout).toMatch(
      new RegExp(`^ +\\d+  ${time}  turn_ended +turn ended turn_id=${turn.turn_id} .*outcome=completed`, 'm'),
    );
    const ended = JSON.parse(
      (await agents('events', 'alpha', '--kind', 'turn_ended', '--json', ...over())).stdout,
    );
    expect(new Set(ended.events.map(({ kind }: { kind: string }) => kind))).toEqual(new Set(['turn_ended']));
    const none = await agents('events', 'alpha', '--after', String(ended.next_after), ...over());
    expect(none).toMatchObject({ code: 0, stdout: 'No events.\n' });
  });

  test('are followed over a restart of the gateway, each once, and gone on with', async () => {
    const following = startManager(environment, [
      'agents',
      'events',
      'alpha',
      '--follow',
      '--json',
      ...over(),
    ]);
    const output = outputOf(following);
    const events = () =>
      output()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
    await expect.poll(output).toContain('"gateway_started"');
    await gateway('detach', 'alpha');
    await gateway('attach', 'alpha', '--port', '0');
    await agents('prompt', 'alpha', 'after the restart');
    const seen = () => events().filter(({ kind }) => kind === 'gateway_started').length;
    const ended = () => output().slice(output().lastIndexOf('"gateway_started"')).includes('"turn_ended"');
    await expect.poll(() => seen() >= 2 && ended()).toBe(true);
    following.child.kill('SIGINT');
    const stopped = await following.ran;
    const numbers = events().map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(stopped.code).toBe(130);
    const { hint } = JSON.parse(stopped.stderr);
    expect(hint).toMatch(new RegExp(`agents events alpha.* --follow --after ${numbers.at(-1)}$`));
  });
});

test('of all agents come from a server, with the name of each agent', async () => {
  await agents('prompt', 'alpha', 'for all');
  const listed = await agents('events', '--all', '--kind', 'turn_ended');
  expect([listed.code, listed.stdout]).toEqual([0, expect.stringMatching(/^alpha {2} *\d+ .* turn_ended /m)]);
  const following = startManager(environment, ['agents', 'events', '--all', '--follow', '--json']);
  const output = outputOf(following);
  // It begins with what happens from now on, so it is prompted until it has seen one.
  await expect
    .poll(async () => {
      await agents('prompt', 'alpha', 'followed');
      return output();
    })
    .toContain('"turn_ended"');
  following.child.kill('SIGINT');
  expect((await following.ran).code).toBe(130);
  expect((await agents('events', '--json')).code).toBe(2);
});

test('a record that begins again is a gap, and is followed from its beginning', async () => {
  const kinds = ['--kind', 'turn_ended', '--kind', 'gateway_started'];
  const following = startManager(environment, ['agents', 'events', 'alpha', '--follow', ...kinds]);
  const output = outputOf(following);
  await agents('prompt', 'alpha', 'before the gap');
  await expect.poll(output).toContain('turn_ended');
  await gateway('detach', 'alpha');
  await following.saying(/No answer \(.*\); still following\.\n/);
  // With its log and its index, which a reader of what the gateway left may hold open.
  for (const part of ['', '-wal', '-shm']) {
    const file = join(root, 'gateway', `queue.sqlite${part}`);
    if (existsSync(file)) renameSync(file, join(root, 'gateway', `aside.sqlite${part}`));
  }
  expect(await gateway('attach', 'alpha')).toMatchObject({ code: 0 });
  await expect
    .poll(output)
    .toMatch(/^A gap: There is no event \d+: .*\n +[12] {2}\S+ \S+ {2}gateway_started /m);
  following.child.kill('SIGINT');
  const stopped = await following.ran;
  expect(stopped.code).toBe(130);
  expect(stopped.stderr).toMatch(
    /Go on: houmao-mgr agents events alpha --kind turn_ended --kind gateway_started --follow --after \d+\n$/,
  );
});

test.each([
  [['alpha', '--kind', 'turn_endet'], 2, /Allowed kinds are accepted, .*turn_ended/],
  [['alpha', '--after', '-1'], 2, /It must be a whole number, at least 0/],
  [
    ['alpha', '--after', '999999'],
    1,
    /the last one is \d+\..*; --after 0 reads .+\. .+: houmao-mgr agents events alpha --after 0/,
  ],
  [['nobody'], 5, /No agent is named nobody/],
])('events %j is refused in a sentence', async (args, code, sentence) => {
  const ran = await agents('events', ...args);
  expect(ran).toMatchObject({ code, stdout: '' });
  expect(ran.stderr).toMatch(sentence);
});

test('a reader that has enough ends it quietly', async () => {
  const following = startManager(environment, ['agents', 'events', 'alpha', '--follow']);
  await new Promise((resolve) => following.child.stdout!.once('data', resolve));
  following.child.stdout!.destroy();
  await agents('prompt', 'alpha', 'one more');
  expect(await following.ran).toMatchObject({ code: 0, stderr: '' });
});

describe('logs', () => {
  const log = () => join(root, 'gateway', 'logs', 'gateway.log');

  test('are there with a gateway and without one, also over a server', async () => {
    await gateway('detach', 'alpha');
    onTestFinished(async () => void (await gateway('attach', 'alpha')));
    const { code, stdout } = await agents('logs', 'alpha', '-n', '1');
    expect([code, stdout.split('\n').length]).toEqual([0, 2]);
    expect(JSON.parse((await agents('logs', 'alpha', '-n', '1', '--json')).stdout)).toEqual({
      path: log(),
      lines: [stdout.trimEnd()],
    });
    expect((await agents('logs', 'alpha', '-n', '1', '--server', server)).stdout).toBe(stdout);
  });

  test.each(['here', 'over a server'])(
    'are followed %s, also when another file takes their place',
    async (by) => {
      appendFileSync(log(), 'the last line\n');
      const way = by === 'here' ? [] : ['--server', server];
      const following = startManager(environment, [
        'agents',
        'logs',
        'alpha',
        '--follow',
        '--lines',
        '1',
        ...way,
      ]);
      const output = outputOf(following);
      await expect.poll(output).toBe('the last line\n');
      appendFileSync(log(), 'one ');
      appendFileSync(log(), 'more\n');
      await expect.poll(output).toBe('the last line\none more\n');
      renameSync(log(), `${log()}.1`);
      writeFileSync(log(), 'in a new file\n');
      await expect.poll(output).toContain('one more\nin a new file\n');
      following.child.kill('SIGINT');
      expect(await following.ran).toMatchObject({ code: 130, stderr: 'houmao-mgr: Stopped.\n' });
    },
  );

  test('are read here where the server is of an earlier release, which gives none', async () => {
    const { body } = await call(server, 'GET', '/houmao/agents/alpha');
    const { port } = await peer(({ url = '' }, response) => {
      const known = url === '/houmao/agents/alpha';
      const headers = { 'Content-Type': 'application/json', 'X-Request-Id': 'http-1' };
      response
        .writeHead(known ? 200 : 404, headers)
        .end(JSON.stringify(known ? body : { detail: 'Not Found' }));
    });
    const { stdout } = await agents('logs', 'alpha', '-n', '1');
    const over = ['--server', `http://127.0.0.1:${port}`];
    expect((await agents('logs', 'alpha', '-n', '1', ...over)).stdout).toBe(stdout);
  });

  test('that are not there yet are reported', async () => {
    const tool = ['--tool', 'claude', '--headless', '--executable', standinProgram, '--no-tmux'];
    await agents('launch', ...tool, '--workdir', folder, '--name', 'quiet', '--no-gateway');
    const ran = await agents('logs', 'quiet');
    await agents('stop', 'quiet');
    expect(existsSync(log())).toBe(true);
    expect(ran).toMatchObject({ code: 5, stdout: '' });
    expect(ran.stderr).toMatch(
      /has not written a log yet \(.*gateway\.log\)\. Start it: houmao-mgr agents gateway attach quiet\n$/,
    );
  });
});
