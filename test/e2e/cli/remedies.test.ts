// The commands that are printed as ways out of trouble can be pasted as they are, and work: each is run by a shell, in the trouble.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { manage, managerEnvironment, type Ran, startManager } from '../../support/manager.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';

let folder = '';
let environment: NodeJS.ProcessEnv = {};
const run = (...args: string[]) => manage(environment, args);
const agents = (...args: string[]) => run('agents', ...args);
const gateway = (...args: string[]) => agents('gateway', ...args);

beforeEach(() => {
  folder = temporaryFolder();
  environment = { ...managerEnvironment(folder), TMUX_TMPDIR: folder, TMUX: '' };
  // The program that a launch without --executable finds.
  symlinkSync(standinProgram, join(folder, '.programs', 'claude'));
});
afterEach(async () => {
  const { agents: left } = JSON.parse((await agents('list', '--json')).stdout);
  for (const { agent_name } of left) await agents('stop', agent_name);
  // Where none was started, nobody needs to be asked.
  if (!existsSync(join(folder, 'runtime', 'houmao_servers'))) return;
  await run('server', 'stop');
  await run('server', 'stop', '--port', '0');
});

async function launch(name: string, ...more: string[]): Promise<string> {
  const where = ['--workdir', folder, '--home', join(folder, 'home'), '--no-tmux', '--json'];
  const launched = await agents('launch', '--tool', 'claude', ...where, '--name', name, ...more);
  expect(launched).toMatchObject({ code: 0 });
  return JSON.parse(launched.stdout).session_root;
}

/** The commands of this program that were printed, in their order: each ends with its line, or where the sentence goes on. */
const printed = ({ stdout, stderr }: Ran): string[] =>
  [
    ...`${stdout}${stderr}`.matchAll(
      /(?<!^)houmao-mgr (?:agents|server|mailbox) .*?(?=$| \(|; |, or | says why)/gm,
    ),
  ].map(([command]) => command);

/** By a shell, as its reader does; a server at any port, as another user's may have the usual one here. */
const paste = (command: string): Promise<Ran> =>
  new Promise((resolve) => {
    const here = command.replace(/server start$/, '$& --port 0');
    execFile('sh', ['-c', here], { env: environment }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });

/** Each in its turn does what it says. @param code with which it ends: 4 where something cannot be put right with the rest. */
async function allWork(trouble: Ran, expected: readonly RegExp[], code = 0): Promise<void> {
  const commands = printed(trouble);
  expect(commands).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
  for (const command of commands)
    expect({ command, ...(await paste(command)) }).toMatchObject({ command, code });
}

const attach = /^houmao-mgr agents gateway attach alpha$/;
const detach = /^houmao-mgr agents gateway detach alpha$/;
const waysBack = [
  /agents requests wait alpha gwreq-\S+$/,
  /agents requests show alpha gwreq-\S+$/,
  /agents requests cancel alpha gwreq-\S+$/,
];

test('no gateway', async () => {
  await launch('alpha', '--no-gateway');
  await allWork(await gateway('status', 'alpha'), [attach]);
  await gateway('detach', 'alpha');
  await allWork(await agents('prompt', 'alpha', 'hi'), [attach, /^houmao-mgr server start$/]);
});

test('no gateway, reported by the doctor', async () => {
  await launch('alpha', '--no-gateway');
  await allWork(await agents('doctor', 'alpha'), [attach]);
});

test('a gateway that was killed', async () => {
  await launch('alpha');
  const { pid } = JSON.parse((await gateway('attach', 'alpha', '--json')).stdout);
  process.kill(pid, 'SIGKILL');
  await allWork(await agents('doctor', 'alpha'), [attach]);
});

test.each([
  ['status', ['gateway', 'status', 'alpha'], [detach, attach]],
  ['prompt', ['prompt', 'alpha', 'hi'], [detach, attach]],
  ['attach', ['gateway', 'attach', 'alpha'], [detach, attach]],
  ['doctor', ['doctor', 'alpha'], [/^houmao-mgr agents gateway attach alpha --restart$/]],
])('a gateway that hangs, reported by %s', async (_by, args, expected) => {
  await launch('alpha');
  const { pid } = JSON.parse((await gateway('attach', 'alpha', '--json')).stdout);
  process.kill(pid, 'SIGSTOP');
  await allWork(await agents(...args), expected);
});

test('a gateway that runs otherwise than asked for', async () => {
  await launch('alpha');
  const differs = await gateway('attach', 'alpha', '--diagnostic-log');
  await allWork(differs, [/^houmao-mgr agents gateway attach alpha --diagnostic-log --restart$/]);
});

test('a paused queue', async () => {
  await launch('alpha');
  await gateway('pause', 'alpha');
  const resume = /^houmao-mgr agents gateway resume alpha$/;
  await allWork(await gateway('status', 'alpha'), [resume]);
  await gateway('pause', 'alpha');
  await allWork(await agents('doctor', 'alpha'), [resume]);
  await gateway('pause', 'alpha');
  const id = (await agents('prompt', 'alpha', 'waits', '--no-wait')).stdout.trim();
  await allWork(await agents('requests', 'show', 'alpha', id), [resume]);
  await gateway('pause', 'alpha');
  // The one that takes it back comes too late for a prompt that has its answer.
  const left = await agents('prompt', 'alpha', 'waits too', '--timeout', '2s');
  // The cause of the wait is said when it begins to wait, and again at the end.
  const [goesOn, ...back] = new Set(printed(left));
  expect([goesOn, ...back]).toEqual([resume, ...waysBack].map((pattern) => expect.stringMatching(pattern)));
  expect(await paste(back[1]!)).toMatchObject({ code: 0, stdout: expect.stringContaining('  accepted\n') });
  expect(await paste(back[2]!)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Cancelled gwreq-/),
  });
  expect((await paste(goesOn!)).code).toBe(0);
  const stillThere = await agents('prompt', 'alpha', 'once more', '--no-wait');
  expect(await paste(printed(stillThere)[0]!)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('once more'),
  });
});

test('a turn that runs and cannot be cancelled', async () => {
  await launch('alpha');
  const prompt = startManager(environment, ['agents', 'prompt', 'alpha', '[[slow=60000]] long']);
  const id = /gwreq-\S+/.exec(await prompt.saying(/Delivered: /))![0];
  await allWork(await agents('requests', 'cancel', 'alpha', id), [/agents interrupt alpha --turn turn-\S+$/]);
  expect((await prompt.ran).code).toBe(1);
});

test('names and ids that nobody has', async () => {
  const none = await agents('prompt', 'nobody', 'hi');
  expect(printed(none)).toEqual(['houmao-mgr agents launch --tool claude --headless --name nobody']);
  await launch('alpha');
  await allWork(await agents('requests', 'show', 'alpha', 'gwreq-none'), [/agents requests list alpha$/]);
  await allWork(await agents('events', 'alpha', '--after', '999999'), [/agents events alpha --after 0$/]);
  await allWork(await agents('turns', 'get', 'alpha', 'turn-none'), [/^houmao-mgr server start$/]);
});

test('an agent that is launched without words of its own', async () => {
  await allWork(await agents('list'), [/^houmao-mgr agents launch --tool claude --headless$/]);
});

test('a prompt without quotes', async () => {
  await launch('alpha');
  await allWork(await agents('prompt', 'alpha', "it's", 'a', '$prompt'), [
    /^houmao-mgr agents prompt alpha '.*'$/,
  ]);
});

test('a name that is taken, a session that is gone, and a manifest that cannot be read', async () => {
  const root = await launch('alpha', '--no-gateway');
  const again = ['launch', '--tool', 'claude', '--headless', '--name', 'alpha', '--workdir', folder];
  rmSync(join(root, 'manifest.json'));
  await allWork(await agents('prompt', 'alpha', 'hi'), [/^houmao-mgr agents stop alpha$/], 4);
  const other = await launch('alpha', '--no-gateway');
  renameSync(join(other, 'manifest.json'), join(other, 'aside.json'));
  mkdirSync(join(other, 'manifest.json'));
  await allWork(await agents(...again), [/^houmao-mgr agents stop alpha$/], 4);
});

test('a port that is taken, reported by the doctor', async () => {
  await launch('alpha');
  const { gateway_url: url } = JSON.parse((await gateway('attach', 'alpha', '--json')).stdout);
  await gateway('detach', 'alpha');
  const taken = createServer().listen(Number(new URL(url).port), '127.0.0.1');
  await once(taken, 'listening');
  const doctor = await agents('doctor', 'alpha');
  expect(printed(doctor)).toEqual([
    'houmao-mgr agents gateway attach alpha',
    'houmao-mgr agents gateway attach alpha --port 0',
  ]);
  expect((await paste(printed(doctor)[1]!)).code).toBe(0);
  taken.close();
});

test('no server', async () => {
  const absent = await run('server', 'status', '--port', '0');
  await allWork(absent, [/^houmao-mgr server start --port 0$/]);
});

test('files of stopped agents, which nobody is asked about', async () => {
  await launch('alpha', '--no-gateway');
  await agents('stop', 'alpha');
  await allWork(await agents('prune'), [/^houmao-mgr agents prune --yes$/]);
});

test('an agent without its working directory: who prompts it is led to the doctor, which names the folder', async () => {
  const work = join(folder, 'work');
  mkdirSync(work);
  await launch('alpha', '--workdir', work);
  rmSync(work, { recursive: true });
  await expect.poll(async () => (await gateway('status', 'alpha')).stdout).toContain('cannot be reached');
  const refused = await agents('prompt', 'alpha', 'hello');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  const [doctor = '', ...more] = printed(refused);
  expect([doctor, more]).toEqual(['houmao-mgr agents doctor alpha', []]);
  const { code, stdout } = await paste(doctor);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    new RegExp(`FAILED +agent: The working directory .*\\. It runs as \\S+ in ${work}\\.`),
  );
});
