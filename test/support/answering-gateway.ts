import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { type CurrentInstance, publishCurrentInstance } from '../../src/session/current-instance.js';
import type { SessionPaths } from '../../src/session/session-paths.js';

const source = `
const [status, body] = process.argv.slice(1);
const answer = (_, response) => response.writeHead(Number(status), { 'Content-Type': 'application/json' }).end(body);
const server = require('node:http').createServer(answer).listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

/**
 * A gateway of a session that refuses its caller. Root is refused by none, so a process of its own answers.
 * @param root the session that the process says it serves.
 */
export const refusingGateway = (paths: SessionPaths, status: number, detail: string, root = paths.root) =>
  answering(paths, status, { detail }, root);

/** A process that answers `/health` in the place of a gateway. @param root the session that the process says it serves. */
export const healthyGateway = (paths: SessionPaths, root = paths.root) =>
  answering(paths, 200, { protocol_version: 'v1', status: 'ok' }, root);

const waitingSource = `
const say = (line) => process.stdout.write(line + '\\n');
const answers = { '/health': { body: { protocol_version: 'v1', status: 'ok' } }, ...JSON.parse(process.argv[1]) };
const server = require('node:http').createServer((request, response) => {
  const answer = answers[request.url];
  const type = { 'Content-Type': 'application/json' };
  if (answer) return response.writeHead(answer.status ?? 200, type).end(JSON.stringify(answer.body));
  say('asked ' + request.url);
  request.socket.once('close', () => say('gone'));
}).listen(0, '127.0.0.1', () => say(server.address().port));
`;

/**
 * A gateway that answers its health, and nothing else ever. `lines` are what it sees: `asked <path>`, `gone`.
 * @param answers what it answers all the same, by path.
 */
export async function waitingGateway(
  paths: SessionPaths,
  answers: Readonly<Record<string, { status?: number; body: object }>> = {},
): Promise<{ lines: AsyncIterator<string>; kill(): void }> {
  const child = spawn(
    process.execPath,
    ['-e', waitingSource, '--', JSON.stringify(answers), '--gateway-root', paths.root],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const { value: port } = await lines.next();
  publishCurrentInstance(paths, instanceOf(child.pid ?? 0, Number(port)));
  return { lines, kill: () => void child.kill('SIGKILL') };
}

/** A gateway of a headless agent that ends as soon as it is asked for that path. @param runningTurn what it says that runs */
export async function dyingGateway(
  paths: SessionPaths,
  path: string,
  runningTurn: string | null = null,
): Promise<void> {
  const { lines, kill } = await waitingGateway(paths, {
    '/v1/control/headless/state': { body: headlessState(runningTurn) },
  });
  void (async () => {
    for (let line = await lines.next(); !line.done; line = await lines.next())
      if (line.value === `asked ${path}`) kill();
  })();
}

/** How a headless agent stands, as its gateway tells it. */
export const headlessState = (runningTurn: string | null): object => ({
  schema_version: 1,
  runtime_resumable: true,
  tmux_session_live: true,
  queue_depth: 0,
  can_accept_prompt_now: runningTurn === null,
  interruptible: runningTurn !== null,
  request_admission: 'open',
  active_execution: runningTurn === null ? 'idle' : 'running',
  chat_session: { current: null, startup_default: { mode: 'new', id: null }, next_prompt_override: null },
  active_turn_id: runningTurn,
});

async function answering(
  paths: SessionPaths,
  status: number,
  body: object,
  root: string,
): Promise<CurrentInstance> {
  const child = spawn(
    process.execPath,
    ['-e', source, '--', String(status), JSON.stringify(body), '--gateway-root', root],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const [announced] = (await once(child.stdout, 'data')) as [Buffer];
  const instance = instanceOf(child.pid ?? 0, Number(announced.toString()));
  publishCurrentInstance(paths, instance);
  return instance;
}

const instanceOf = (pid: number, port: number): CurrentInstance => ({
  schema_version: 1,
  protocol_version: 'v1',
  host: '127.0.0.1',
  execution_mode: 'detached_process',
  pid,
  port,
  managed_agent_instance_epoch: 1,
  managed_agent_instance_id: null,
});
