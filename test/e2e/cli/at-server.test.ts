// The work of operators with agents that have no gateway: a managed-agent server of the host does it, found without being named.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sessionPaths } from '../../../src/session/session-paths.js';
import { dyingGateway } from '../../support/answering-gateway.js';
import { call } from '../../support/http.js';
import { manage, managerEnvironment, type Ran, startManager } from '../../support/manager.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';
import { markedProcesses } from '../recovery/evidence.js';
import { serverStage } from './server-stage.js';

const stage = serverStage();
const { tmux, environment, run, agents, launch } = stage;
const headless = () => launch('--headless', '--no-tmux');
const asking = (name: string) => `No gateway of ${name} answers; asking the server ${stage.url}\n`;
/** The commands that a failure prints, as a shell would run them. */
const way = ({ stderr }: Ran, what: string): string[] =>
  new RegExp(`^ {2}${what} +houmao-mgr (.+)$`, 'm').exec(stderr)![1]!.split(' ');
const turnIn = (text: string): string => /turn-[0-9a-f]{12}/.exec(text)![0];

describe('an agent without a gateway', () => {
  test('is prompted by the server, which says what becomes of it', async () => {
    const { name } = await headless();
    const prompted = await agents('prompt', name, 'hello');
    expect([prompted.code, prompted.stdout]).toEqual([0, 'You said: hello (turn 1 of this conversation)\n']);
    expect(prompted.stderr).toMatch(/^No gateway .*\nRunning as turn-[0-9a-f]{12}\nDelivered: .*\n$/);
    expect(prompted.stderr.startsWith(asking(name))).toBe(true);
    const again = await agents('prompt', name, 'once more');
    expect(again.stdout).toBe('You said: once more (turn 2 of this conversation)\n');
    const fresh = JSON.parse((await agents('prompt', name, 'afresh', '--new', '--json')).stdout);
    expect(fresh).toMatchObject({
      answer: 'You said: afresh (turn 1 of this conversation)',
      turn: { origin: 'direct', outcome: 'completed', delivery: { state: 'confirmed' } },
    });
  });

  test('is prompted with labels, which its turns show', async () => {
    const { name } = await headless();
    for (const more of [[], ['--new']]) {
      const given = ['labelled', '--metadata', 'ticket=HOU-1', ...more];
      const { turn } = JSON.parse((await agents('prompt', name, ...given, '--json')).stdout);
      expect([more, turn.metadata]).toEqual([more, { ticket: 'HOU-1' }]);
      const shown = (await agents('turns', 'get', name, turn.turn_id)).stdout;
      expect(shown).toMatch(/^ {2}metadata +ticket=HOU-1$/m);
      const queued = (await agents('prompt', name, ...given, '--no-wait')).stdout.trim();
      const waited = JSON.parse((await agents('turns', 'wait', name, queued, '--json')).stdout);
      expect(waited.turn.metadata).toEqual({ ticket: 'HOU-1' });
    }
  });

  test('Ctrl-C ends the waiting, and the printed commands lead back', async () => {
    const { name } = await headless();
    const prompt = startManager(environment, ['agents', 'prompt', name, '[[slow=60000]] a long one']);
    await prompt.saying(/Delivered: /);
    prompt.child.kill('SIGINT');
    const stopped = await prompt.ran;
    const turnId = turnIn(stopped.stderr);
    expect(stopped).toMatchObject({ code: 130, stdout: '' });
    expect(stopped.stderr).toContain(`houmao-mgr: Stopped waiting. Turn ${turnId} goes on.\n`);
    expect((await run(...way(stopped, 'look at it'))).stdout).toMatch(`${turnId}  running\n`);
    const waiting = startManager(environment, way(stopped, 'wait for its answer'));
    await waiting.saying(/Delivered: /);
    expect(await run(...way(stopped, 'stop it'))).toMatchObject({
      code: 0,
      stdout: `Turn ${turnId} was interrupted.\n`,
    });
    const ended = await waiting.ran;
    expect([ended.code, ended.stderr.split('\n').at(-2)]).toEqual([
      1,
      expect.stringMatching(/^houmao-mgr: The prompt failed \(interrupted\): /),
    ]);
    expect((await run(...way(stopped, 'look at it'))).stdout).toMatch(`${turnId}  interrupted\n`);
    expect((await agents('interrupt', name)).stdout).toMatch(/^There is nothing /);
  });

  test('a turn that has ended gives its answer at once', async () => {
    const { name } = await headless();
    const turnId = turnIn((await agents('prompt', name, 'hello')).stderr);
    expect((await agents('turns', 'wait', name, turnId)).stdout).toMatch(/^You said: hello \(turn 1 /);
    expect((await agents('turns', 'get', name, turnId)).stdout).toMatch(
      / {2}completed\n(.+\n)+\nYou said: hello/,
    );
    expect(await agents('turns', 'wait', name, 'turn-none')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('No turn `turn-none` of agent'),
    });
  });

  test('a prompt that the server refuses was not taken', async () => {
    const { name } = await headless();
    const busy = startManager(environment, ['agents', 'prompt', name, '[[slow=60000]] long']);
    const turnId = turnIn(await busy.saying(/Delivered: /));
    const second = await agents('prompt', name, 'second');
    expect([second.code, second.stdout]).toEqual([1, '']);
    expect(second.stderr).toContain(`houmao-mgr agents turns wait ${name} ${turnId}`);
    await agents('interrupt', name);
    await busy.ran;
  });

  test('in a terminal shows its screen by the server', async () => {
    const { name } = await launch('--tui');
    await expect
      .poll(async () => (await agents('screen', name)).stdout)
      .toMatch(/^Ready for a prompt\.\n(.*\n)+.*Claude Code/);
    expect((await agents('prompt', name, 'typed')).stdout).toContain('You said: typed');
    const { name: plain } = await headless();
    expect(await agents('screen', plain)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^houmao-mgr: \S+ runs headless/m),
    });
  });
});

describe('agents stop', () => {
  test('by the server ends the turn that it runs, and all of the agent', async () => {
    const { name, root } = await headless();
    const begun = await call(stage.url, 'POST', `/houmao/agents/${name}/turns`, {
      prompt: '[[slow=60000]] long',
    });
    const turnId: string = begun.body.turn_id;
    const stopped = await agents('stop', name, '--json');
    expect(JSON.parse(stopped.stdout)).toMatchObject({
      agent_name: `HOUMAO-${name}`,
      server_url: stage.url,
      turn_id: turnId,
      session_root: root,
      detail: `Stopped ${name}. Its turn ${turnId} was interrupted.`,
    });
    expect(markedProcesses([turnId])).toEqual([]);
    expect(existsSync(join(root, 'manifest.json'))).toBe(true);
    expect((await agents('list')).stdout).not.toContain(`${name} `);
    expect(await agents('stop', name)).toMatchObject({ code: 5, stderr: expect.stringContaining(root) });
  });
});

describe('agents list', () => {
  test('has what only the server knows, too, and each agent once', async () => {
    const { name } = await launch('--tui');
    tmux.run('new-session', '-d', '-s', 'guest', 'sleep 1000');
    const query = 'session_name=guest&tool=claude&tmux_session_name=guest';
    expect((await call(stage.url, 'POST', `/houmao/launches/register?${query}`)).status).toBe(200);
    const listed = async (...more: string[]): Promise<string[]> =>
      JSON.parse((await agents('list', '--json', ...more)).stdout).agents.map(
        ({ agent_name }: { agent_name: string }) => agent_name,
      );
    for (const names of [await listed(), await listed('--server', stage.url)]) {
      expect(names).toContain('guest');
      expect(names.filter((one) => one === `HOUMAO-${name}`)).toHaveLength(1);
    }
    expect((await agents('list', '--server', stage.url)).stdout).toMatch(
      /^guest +claude +unreachable( +-){4}$/m,
    );
    expect((await agents('stop', 'guest')).stdout).toBe('Stopped guest.\n');
    expect(await listed()).not.toContain('guest');
  });
});

describe('--server', () => {
  test('names the server that is asked, also for an agent with a gateway', async () => {
    const { name } = await headless();
    expect((await agents('gateway', 'attach', name)).code).toBe(0);
    const prompted = await agents('prompt', name, 'hello', '--server', `${stage.url}/`);
    expect([prompted.code, prompted.stdout]).toEqual([0, 'You said: hello (turn 1 of this conversation)\n']);
    expect(prompted.stderr).toMatch(/^Queued as gwreq-.*\nRunning as turn-/);
    const asJson = JSON.parse(
      (await agents('prompt', name, 'again', '--json', '--server', stage.url)).stdout,
    );
    expect(asJson).toMatchObject({ request: { state: 'completed', turn: { outcome: 'completed' } } });
  });

  test('a prompt for a busy headless agent waits in the queue of its gateway', async () => {
    const { name } = await headless();
    expect((await agents('gateway', 'attach', name)).code).toBe(0);
    const server = ['--server', stage.url];
    const first = startManager(environment, ['agents', 'prompt', name, '[[slow=60000]] first', ...server]);
    await first.saying(/Delivered: /);
    const queued = await agents('prompt', name, 'second', '--no-wait', ...server);
    expect(queued.stdout).toMatch(/^gwreq-\S+\n$/);
    const second = startManager(environment, way(queued, 'wait for its answer'));
    await second.saying(/Waiting: Turn /);
    await agents('interrupt', name, ...server);
    expect(await first.ran).toMatchObject({ code: 1, stderr: expect.stringContaining('(interrupted)') });
    expect(await second.ran).toMatchObject({ code: 0, stdout: expect.stringContaining('You said: second') });
  });

  test('a prompt that waits in the queue of a gateway is reported as that, and can be taken back', async () => {
    const { name } = await launch('--tui');
    expect((await agents('gateway', 'attach', name)).code).toBe(0);
    const first = startManager(environment, [
      'agents',
      'prompt',
      name,
      '[[slow=60000]] first',
      '--server',
      stage.url,
    ]);
    await first.saying(/Delivered: /);
    const second = startManager(environment, ['agents', 'prompt', name, 'second', '--server', stage.url]);
    await second.saying(/Queued as gwreq-.*\nWaiting: /);
    second.child.kill('SIGINT');
    const stopped = await second.ran;
    const [requestId] = /gwreq-\S+/.exec(stopped.stderr)!;
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toContain(`: Stopped waiting. Request ${requestId} is queued; when the server `);
    expect(stopped.stderr).not.toContain('goes on');
    expect(await run(...way(stopped, 'take it back while it waits'))).toMatchObject({
      code: 0,
      stdout: `Cancelled ${requestId}; it will not run.\n`,
    });
    expect((await agents('requests', 'list', name, '--server', stage.url)).stdout).toMatch(
      /gwreq-\S+ +cancelled/,
    );
    expect((await agents('requests', 'cancel', name, 'gwreq-none', '--server', stage.url)).stderr).toContain(
      `List them: houmao-mgr agents requests list ${name} --server ${stage.url}`,
    );
    await agents('interrupt', name, '--server', stage.url);
    await first.ran;
  });

  test('what is wrong with it is said', async () => {
    expect(await agents('list', '--server', 'nowhere')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('It must be a URL such as http://127.0.0.1:9889.'),
    });
    const { name } = await headless();
    await agents('gateway', 'attach', name);
    const { agents: all } = JSON.parse((await agents('list', '--json')).stdout);
    const { gateway_url } = all.find(
      ({ agent_name }: { agent_name: string }) => agent_name === `HOUMAO-${name}`,
    );
    expect(await agents('prompt', name, 'x', '--server', gateway_url)).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(`^houmao-mgr: ${gateway_url} is not .*\\. A gateway is reached by`),
    });
    expect(await agents('prompt', 'nobody', 'x', '--server', stage.url)).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/`nobody`.* \(asked the/s),
    });
  });
});

test('a prompt or an interrupt that a lost gateway may have is no refusal', async () => {
  const { name, root } = await headless();
  const paths = sessionPaths(root);
  await dyingGateway(paths, '/v1/requests');
  const { code, stderr } = await agents('prompt', name, 'hello', '--server', stage.url);
  const [key = ''] = /[0-9a-f]{32}/.exec(stderr) ?? [];
  const [refusal = '', ...ways] = stderr.split(/(?<=\n)/);
  expect([code, refusal, ways.join('')]).toEqual([
    3,
    expect.stringMatching(new RegExp(`^houmao-mgr: .* was lost .* is not known\\. .*${key}`)),
    `  ask again           houmao-mgr agents prompt ${name} --server ${stage.url} --idempotency-key ${key} -- hello\n` +
      `  see what is queued  houmao-mgr agents requests list ${name} --server ${stage.url}\n`,
  ]);
  await dyingGateway(paths, '/v1/requests', 'turn-that-runs');
  const interrupted = await agents('interrupt', name, '--server', stage.url);
  expect(interrupted).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/ \(lost\); .* turn-that-runs\./),
  });
});

test('where no server has the agent either, both ways to one are shown', async () => {
  const alone = temporaryFolder();
  const elsewhere = managerEnvironment(alone);
  const tool = ['--tool', 'claude', '--headless', '--executable', standinProgram, '--home', alone];
  const flags = [...tool, '--workdir', alone, '--name', 'lonely', '--no-gateway', '--no-tmux'];
  expect((await manage(elsewhere, ['agents', 'launch', ...flags])).code).toBe(0);
  const { code, stderr } = await manage(elsewhere, ['agents', 'prompt', 'lonely', 'hello']);
  expect([code, stderr]).toEqual([
    6,
    'houmao-mgr: No gateway answers for lonely.\n' +
      '  start one                      houmao-mgr agents gateway attach lonely\n' +
      '  or a server, which needs none  houmao-mgr server start\n',
  ]);
  const { stderr: noTurns } = await manage(elsewhere, ['agents', 'turns', 'get', 'lonely', 'turn-1']);
  expect(noTurns).toContain(
    'No managed-agent server of this host has an agent lonely. Start one: houmao-mgr',
  );
});
