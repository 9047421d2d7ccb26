import { expect, test } from 'vitest';
import { call } from '../../support/http.js';
import { startManager } from '../../support/manager.js';
import { serverStage } from './server-stage.js';

const stage = serverStage();
const { environment, run, agents } = stage;
const launch = async (...flags: string[]): Promise<string> => (await stage.launch(...flags)).name;
const headless = () => launch('--headless', '--no-tmux');

test('all of agents gateway goes there, and so does each command that is printed', async () => {
  const name = await headless();
  const gateway = (...args: string[]) => agents('gateway', ...args, '--server', stage.url);
  const none = await gateway('status', name);
  expect([none.code, none.stderr]).toEqual([
    6,
    `houmao-mgr: No gateway answers for ${name}. Start one: houmao-mgr agents gateway attach ${name} --server ${stage.url}\n`,
  ]);
  const attached = JSON.parse((await gateway('attach', name, '--background', '--json')).stdout);
  expect(attached).toMatchObject({ agent_name: `HOUMAO-${name}`, server_url: stage.url });
  expect((await agents('gateway', 'status', name)).stdout).toContain(
    `http://127.0.0.1:${attached.gateway_port}: ready for prompts`,
  );
  expect((await gateway('pause', name)).stdout).toContain('Paused the queue');
  const waiting = startManager(environment, ['agents', 'prompt', name, 'held', '--server', stage.url]);
  const resume = `agents gateway resume ${name} --server ${stage.url}`;
  const reported = await waiting.saying(/Waiting: .*\n/);
  expect(reported).toMatch(new RegExp(`The queue is paused; .*: houmao-mgr ${resume}\n`));
  expect((await gateway('status', name)).stdout).toMatch(
    new RegExp(`${name} at ${stage.url}: the queue is paused; .*: houmao-mgr ${resume}\n`),
  );
  const [id = ''] = /gwreq-\S+/.exec(reported)!;
  expect((await agents('requests', 'show', name, id, '--server', stage.url)).stdout).toContain(resume);
  expect(await run(...resume.split(' '))).toMatchObject({ code: 0 });
  expect(await waiting.ran).toMatchObject({ code: 0, stdout: expect.stringContaining('You said: held') });
  const reminder = ['reminders', 'create', name, '--prompt', 'P', '--in', '1h'];
  const [made] = JSON.parse((await gateway(...reminder, '--json')).stdout).reminders;
  expect((await agents('gateway', 'reminders', 'list', name)).stdout).toContain(made.reminder_id);
  expect((await gateway('reminders', 'remove', name, made.reminder_id)).code).toBe(0);
  expect((await gateway('reminders', 'get', name, made.reminder_id)).code).toBe(5);
  const detached = await gateway('detach', name);
  expect(detached).toMatchObject({ code: 0, stdout: `Stopped the gateway of ${name}.\n` });
  expect((await gateway('detach', name)).stdout).toBe(`No gateway was running for ${name}.\n`);
});

test('a turn whose prompt still waits is waited for, and what it waits for is said', async () => {
  const name = await headless();
  const gateway = (...args: string[]) => agents('gateway', ...args);
  expect((await gateway('attach', name)).code).toBe(0);
  await gateway('pause', name);
  const path = `/houmao/agents/${name}/turns`;
  const turnId: string = (await call(stage.url, 'POST', path, { prompt: 'held' })).body.turn_id;
  const left = await agents('turns', 'wait', name, turnId, '--timeout', '1s', '--server', stage.url);
  const [requestId = ''] = /gwreq-\S+/.exec(left.stderr)!;
  expect(left.code).toBe(3);
  expect(left.stderr).toMatch(
    new RegExp(
      `Queued as ${requestId}\nWaiting: The queue is paused; .*: houmao-mgr agents gateway resume ${name} --server ${stage.url}\n`,
    ),
  );
  expect(left.stderr).toContain(
    `houmao-mgr agents requests wait ${name} ${requestId} --server ${stage.url}\n`,
  );
  const seen = await agents('turns', 'get', name, turnId, '--json');
  expect([seen.code, JSON.parse(seen.stdout)]).toMatchObject([
    ...[0, { turn_id: turnId, state: 'queued', request: { request_id: requestId, state: 'accepted' } }],
  ]);
  expect((await agents('turns', 'get', name, turnId)).stdout).toContain(requestId);
  const waits = startManager(environment, ['agents', 'turns', 'wait', name, turnId]);
  await waits.saying(/Waiting: The queue is paused/);
  await gateway('resume', name);
  expect(await waits.ran).toMatchObject({ code: 0, stdout: expect.stringContaining('You said: held') });

  await gateway('pause', name);
  const other: string = (await call(stage.url, 'POST', path, { prompt: 'taken back' })).body.turn_id;
  const { requests } = JSON.parse((await agents('requests', 'list', name, '--json')).stdout);
  await agents('requests', 'cancel', name, requests[0].request_id);
  expect(await agents('turns', 'get', name, other)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining(`\`${other}\` never began`),
  });
  expect(await agents('turns', 'wait', name, other)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Request ${requests[0].request_id} was cancelled`),
  });
});

test('agents keys goes there, and leads to the screen that shows them', async () => {
  const name = await launch('--tui');
  expect((await agents('gateway', 'attach', name, '--server', stage.url)).code).toBe(0);
  const typed = await agents('keys', name, 'abc', '--server', stage.url);
  expect([typed.code, typed.stdout]).toEqual([
    0,
    `Typed into the terminal of ${name}. Look at it: houmao-mgr agents screen ${name} --server ${stage.url}\n`,
  ]);
  await expect
    .poll(async () => (await agents('screen', name, '--server', stage.url)).stdout)
    .toContain('abc');
});

test('what only this machine can do is refused beside --server', async () => {
  for (const flag of ['--restart', '--port=0', '--diagnostic-log', '--retain-days=5', '--allowed-host=x'])
    expect(await agents('gateway', 'attach', 'nobody', '--server', stage.url, flag)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`cannot be used with option '${flag.split('=')[0]}`),
    });
});

test('the question of an agent under a prompt is shown through the server, and answered through it', async () => {
  const name = await launch('--tui');
  const server = ['--server', stage.url];
  const prompt = ['agents', 'prompt', name, 'go [[tool=Bash {"command":"ls"}]]', ...server];
  const withoutGateway = startManager(environment, prompt);
  expect(await withoutGateway.saying(/waits for a person .*:\n(?: {2}.*\n)+.*\n/)).toContain(
    `houmao-mgr agents answer ${name} --server ${stage.url}`,
  );
  expect((await agents('gateway', 'attach', name, ...server)).code).toBe(0);
  const { dialog } = JSON.parse((await agents('answer', name, '--json', ...server)).stdout);
  const answered = await agents(
    'answer',
    name,
    '--dialog',
    dialog.dialog_id,
    '--choose',
    '1',
    '--json',
    ...server,
  );
  expect(JSON.parse(answered.stdout)).toMatchObject({ outcome: 'answered', dialog_id: dialog.dialog_id });
  expect(await withoutGateway.ran).toMatchObject({ code: 0, stdout: expect.stringContaining('go') });
});
