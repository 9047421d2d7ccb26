// The known state of an agent's work while its gateway does not live: its queue is read where it was left, and stays as it is.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { manage, managerEnvironment } from '../../support/manager.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';

let environment: NodeJS.ProcessEnv = {};
let root = '';
const agents = (...args: string[]) => manage(environment, ['agents', ...args]);
const gateway = (...args: string[]) => agents('gateway', ...args);
const reported = async (...args: string[]) => JSON.parse((await agents(...args, '--json')).stdout);
const queue = () => join(root, 'gateway', 'queue.sqlite');

async function launch(): Promise<void> {
  const tool = ['--tool', 'claude', '--headless', '--executable', standinProgram, '--no-tmux'];
  const folder = environment.HOME ?? '';
  const where = ['--home', join(folder, 'home'), '--workdir', folder, '--name', 'alpha'];
  root = (await reported('launch', ...tool, ...where)).session_root;
}
beforeEach(async () => {
  environment = managerEnvironment(temporaryFolder());
  await launch();
});
afterEach(() => agents('stop', 'alpha'));

const pidOfGateway = (): number =>
  JSON.parse(readFileSync(join(root, 'gateway', 'run', 'current-instance.json'), 'utf8')).pid;
async function kill(): Promise<void> {
  process.kill(pidOfGateway(), 'SIGKILL');
  const standing = async () => (await agents('requests', 'wait', 'alpha', 'gwreq-none')).code;
  await expect.poll(standing).toBe(6);
}

/** A queue in which one request is done, one failed, and one waits. */
async function fill(): Promise<string[]> {
  const ids = [];
  for (const prompt of ['done', '[[exit=3]] failed']) {
    await agents('prompt', 'alpha', prompt, '--new');
    ids.unshift((await reported('requests', 'list', 'alpha')).requests[0].request_id);
  }
  await gateway('pause', 'alpha');
  ids.unshift((await reported('prompt', 'alpha', 'waits', '--no-wait')).request_id);
  return ids;
}

/** Files of the queue with what they hold; of the shared memory of SQLite, which is no content, only that it is there. */
const files = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(join(root, 'gateway'))
      .filter((name) => name.startsWith('queue.sqlite'))
      .map((name) => [
        name,
        name.endsWith('-shm') ? 'there' : readFileSync(join(root, 'gateway', name)).toString('base64'),
      ]),
  );

const endings: [string, string[], () => Promise<unknown>][] = [
  ['killed', ['queue.sqlite', 'queue.sqlite-shm', 'queue.sqlite-wal'], kill],
  ['stopped', ['queue.sqlite'], () => gateway('detach', 'alpha')],
];

describe.each(endings)('a gateway that was %s', (_how, left, end) => {
  test('left its reports: programs get the same of it, people where it is from, and no file changes', async () => {
    const ids = await fill();
    const asked = [['list', 'alpha'], ...ids.map((id) => ['show', 'alpha', id])];
    const ask = () => Promise.all(asked.map((words) => reported('requests', ...words)));
    const events = await reported('events', 'alpha');
    const [list, waiting, ...ended] = await ask();
    expect(waiting).toMatchObject({
      state: 'accepted',
      queue_position: 0,
      waiting_reason: { code: 'paused' },
    });
    await end();
    const before = files();
    expect(Object.keys(before)).toEqual(left);

    const [listLeft, waitingLeft, ...endedLeft] = await ask();
    const reason = { code: 'unavailable', detail: expect.any(String) };
    expect(endedLeft).toEqual(ended);
    expect(waitingLeft).toEqual({ ...waiting, waiting_reason: reason });
    expect(listLeft).toEqual({
      ...list,
      requests: [{ ...list.requests[0], waiting_reason: reason }, ...list.requests.slice(1)],
    });
    // A gateway that stops tells of that.
    const eventsLeft = (await reported('events', 'alpha')).events;
    expect(eventsLeft.slice(0, events.events.length)).toEqual(events.events);

    for (const words of [['requests', 'list'], ['events']]) {
      const { code, stdout, stderr } = await agents(...words, 'alpha');
      expect([code, stderr]).toEqual([
        0,
        `No gateway answers for alpha; this is how its queue was last written: ${queue()}\n`,
      ]);
      expect(stdout).toContain(ids[0]);
    }
    expect(files()).toEqual(before);
  });
});

test('an agent that was stopped left what became of its requests, its events and its log, until one of its name is launched', async () => {
  const ids = await fill();
  await agents('stop', 'alpha');
  const { requests } = await reported('requests', 'list', 'alpha');
  expect(requests.map((one: { request_id: string }) => one.request_id)).toEqual(ids);
  expect(requests[0]).toMatchObject({
    state: 'accepted',
    waiting_reason: { detail: 'The agent was stopped.' },
  });
  expect(await reported('requests', 'show', 'alpha', ids[1] ?? '')).toMatchObject({ state: 'failed' });
  expect((await reported('events', 'alpha')).events.at(-1).kind).toBe('gateway_stopping');
  expect((await agents('logs', 'alpha')).stdout).toContain('gateway stopping');
  expect((await agents('events', 'alpha')).stderr).toMatch(/^alpha was stopped at .+: \S+queue\.sqlite\n$/);
  expect((await agents('requests', 'wait', 'alpha', ids[0] ?? '')).code).toBe(5);

  await launch();
  expect((await reported('requests', 'list', 'alpha')).requests).toEqual([]);
});

test('a turn that ran when its gateway was killed is shown as it stands there, not as ended', async () => {
  const { request_id } = await reported('prompt', 'alpha', '[[slow=60000]] long', '--no-wait');
  const stateOf = async () => (await reported('requests', 'show', 'alpha', request_id)).turn?.state;
  await expect.poll(stateOf).toBe('running');
  await kill();
  expect(await reported('requests', 'show', 'alpha', request_id)).toMatchObject({
    state: 'running',
    finished_at_utc: null,
    error: null,
    turn: { state: 'running', ended_at_utc: null, outcome: null },
  });
});

test('what needs a gateway is refused with the command that starts one', async () => {
  const [id = ''] = await fill();
  await kill();
  for (const words of [
    ['events', 'alpha', '--follow'],
    ['requests', 'wait', 'alpha', id],
    ['requests', 'cancel', 'alpha', id],
  ]) {
    const { code, stderr } = await agents(...words, '--json');
    const { error_code, remedies } = JSON.parse(stderr);
    expect([code, error_code, remedies[0].command]).toEqual([
      ...[6, 'no_gateway', 'houmao-mgr agents gateway attach alpha'],
    ]);
  }
});

test('a request and an event that are not there are refused as by the gateway', async () => {
  await fill();
  const ask = async () => {
    const refused = [
      await agents('requests', 'show', 'alpha', 'gwreq-none', '--json'),
      await agents('events', 'alpha', '--after', '1000', '--json'),
    ];
    return refused.map(({ code, stderr }) => {
      const { error_code, remedies } = JSON.parse(stderr);
      return { code, error_code, remedies };
    });
  };
  const live = await ask();
  expect(live.map(({ code }) => code)).toEqual([5, 1]);
  await kill();
  expect(await ask()).toEqual(live);
});

test('a queue that is no database is refused with its path, and left as it is', async () => {
  await gateway('detach', 'alpha');
  writeFileSync(queue(), 'this is no database, however long one looks at it');
  const before = files();
  for (const words of [['requests', 'list'], ['events']]) {
    const { code, stderr } = await agents(...words, 'alpha', '--json');
    const { error_code, detail } = JSON.parse(stderr);
    expect([code, error_code, detail]).toEqual([1, 'unusable_file', expect.stringContaining(queue())]);
  }
  expect(files()).toEqual(before);
});

test('a gateway that starts while its queue is read does start, and every reader gets an answer', async () => {
  const ids = await fill();
  await kill();
  const attaching = gateway('attach', 'alpha');
  const reading = Array.from({ length: 4 }, () => agents('requests', 'list', 'alpha', '--json'));
  expect((await attaching).code).toBe(0);
  for (const { code, stdout } of await Promise.all(reading)) {
    expect(code).toBe(0);
    expect(JSON.parse(stdout).requests.map((one: { request_id: string }) => one.request_id)).toEqual(ids);
  }
});
