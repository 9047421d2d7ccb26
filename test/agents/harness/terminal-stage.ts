import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import type { components } from '../../../generated/gateway/types.js';
import { identify } from '../../../src/foundation/processes.js';
import { processTree } from '../../../src/terminal/process-tree.js';
import { usePrivateTmux } from '../../e2e/recovery/private-tmux.js';
import { type Answer, call } from '../../support/http.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import { type AgentTool, agentPath } from './agent-paths.js';
import { type FakeModel, startFakeModel } from './fake-model/server.js';
import { makeHome, type ToolHome } from './homes.js';

export type RequestRecord = components['schemas']['RequestRecord'];
export type TurnRecord = components['schemas']['TurnRecord'];

/** A real CLI in a terminal with its gateway, launched as an operator would; its model is the fake one. */
export interface TerminalStage {
  readonly tool: AgentTool;
  readonly fake: FakeModel;
  readonly workingDirectory: string;
  /** The session root. */
  readonly root: string;
  ask(method: string, path: string, body?: object): Promise<Answer>;
  /** Queues a prompt; its request id. */
  queue(prompt: string): Promise<string>;
  /** The record of a request once it is final, or after so many seconds. */
  request(requestId: string, seconds?: number): Promise<RequestRecord>;
  /** The turn of a request that was delivered, once it has ended. */
  turn(requestId: string): Promise<TurnRecord>;
  /** Sends a prompt now or not at all. */
  direct(prompt: string, more?: object): Promise<Answer>;
  /** Sends an interrupt and waits until it is done. */
  interrupt(): Promise<RequestRecord>;
  /** Types keys through the gateway. */
  keys(sequence: string): Promise<Answer>;
  /** Types keys as a person at the terminal would; names of keys are those of tmux. */
  type(...keys: readonly string[]): void;
  /** Pastes a text as our programs do, and enters nothing. */
  paste(text: string): void;
  state(): Promise<Answer['body']>;
  status(): Promise<Answer['body']>;
  /** Waits until a prompt may go in and no turn runs. */
  ready(): Promise<void>;
  screen(): string;
  /** Gives its window so many rows, as a person with a smaller terminal would. */
  resize(rows: number): void;
  /** The next test gets a stage of its own: this one's agent has another conversation than it was launched with. */
  spend(): void;
  /** Ends gateway, tmux and tool at once, as the end of the machine does. */
  crash(): Promise<void>;
  /** `agents restart`. */
  restart(): Promise<Record<string, unknown>>;
  /** The command with which a person starts the tool again in the shell of its terminal. */
  readonly startCommand: string;
}

/**
 * Sets a stage up for the tests of a file, each of which begins with a terminal that is ready. After a test that failed, what
 * the terminal shows is printed, and the next one gets a stage of its own, too.
 * @param flags further ones of the launch.
 */
export function terminalStage(tool: AgentTool, flags: readonly string[] = []): () => TerminalStage {
  let stage: OpenStage | null = null;
  beforeEach(async () => {
    stage ??= await openStage(tool, flags);
    await stage.ready();
  });
  afterEach(async ({ task }) => {
    if (stage === null) return;
    const failed = task.result?.state === 'fail';
    if (failed) {
      console.log(`The terminal at the end of "${task.name}":\n${stage.screen().trimEnd()}`);
      console.log(JSON.stringify({ status: await stage.status(), state: await stage.state() }, null, 2));
    }
    if (!failed && !stage.spent()) return;
    await stage.close();
    stage = null;
  });
  afterAll(() => stage?.close());
  return () => stage!;
}

type OpenStage = TerminalStage & { spent(): boolean; close(): Promise<void> };

async function openStage(tool: AgentTool, flags: readonly string[]): Promise<OpenStage> {
  const folder = await mkdtemp(path.join(os.homedir(), `${tool}-terminal-`));
  const workingDirectory = path.join(folder, 'work');
  mkdirSync(workingDirectory);
  const tmux = usePrivateTmux();
  const fake = await startFakeModel();
  const home = await makeHome(tool, { root: folder, modelUrl: fake.url, workingDirectory });
  const environment = managerEnvironment(folder);
  const launched = await manage(environment, [
    ...['agents', 'launch', '--tool', tool, '--tui', '--name', 'alpha', '--json'],
    ...['--executable', agentPath(tool), '--workdir', workingDirectory, '--home', home.home],
    ...Object.entries(home.env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ...flags,
  ]);
  expect([launched.code, launched.stderr]).toEqual([0, '']);
  const { gateway_url: url, tmux_session_name: session, session_root: root } = JSON.parse(launched.stdout);
  const pane = `=${session}:0.0`;
  let spent = false;
  return {
    tool,
    fake,
    workingDirectory,
    root,
    startCommand: startCommandOf(tool, home),
    ...asked((method, route, body) => call(url, method, route, body)),
    type: (...keys) => void tmux.run('send-keys', '-t', pane, ...keys),
    paste: (text) => {
      const file = path.join(folder, 'pasted');
      writeFileSync(file, text);
      tmux.run('load-buffer', '-b', 'pasted', file);
      tmux.run('paste-buffer', '-d', '-p', '-b', 'pasted', '-t', pane);
    },
    screen: () => tmux.run('capture-pane', '-p', '-t', pane),
    resize: (rows) => void tmux.run('resize-window', '-t', `=${session}:0`, '-x', '100', '-y', String(rows)),
    spend: () => {
      spent = true;
    },
    spent: () => spent,
    async crash() {
      const [server = '', shell = ''] = tmux
        .run('display-message', '-p', '-t', pane, '#{pid} #{pane_pid}')
        .trim()
        .split(' ');
      const gateway = readFileSync(path.join(root, 'gateway/run/gateway.pid'), 'utf8');
      const tools = processTree(Number(shell)).map(({ pid }) => pid);
      const all = [Number(gateway), Number(server), ...tools];
      for (const pid of all) process.kill(pid, 'SIGKILL');
      for (const pid of all) await expect.poll(() => identify(pid)).toBeNull();
    },
    restart: async () =>
      JSON.parse((await manage(environment, ['agents', 'restart', 'alpha', '--json'])).stdout),
    async close() {
      await manage(environment, ['agents', 'stop', 'alpha']);
      tmux.remove();
      await fake.close();
    },
  };
}

/** The calls that a caller of the gateway can make. */
function asked(ask: TerminalStage['ask']) {
  const submit = async (kind: 'submit_prompt' | 'interrupt', payload: object): Promise<string> => {
    const accepted = await ask('POST', '/v1/requests', { kind, payload });
    if (accepted.status !== 202) throw new Error(`not accepted: ${JSON.stringify(accepted.body)}`);
    return accepted.body.request_id;
  };
  const request = async (requestId: string, seconds = 40): Promise<RequestRecord> =>
    (await ask('GET', `/v1/requests/${requestId}?wait_seconds=${seconds}`)).body;
  const status = async () => (await ask('GET', '/v1/status')).body;
  return {
    ask,
    request,
    status,
    queue: (prompt: string) => submit('submit_prompt', { prompt }),
    async turn(requestId: string): Promise<TurnRecord> {
      const record = await request(requestId);
      expect(record).toMatchObject({ state: 'completed', turn: { delivery: { state: 'confirmed' } } });
      return (await ask('GET', `/v1/turns/${record.turn!.turn_id}?wait_seconds=40`)).body;
    },
    direct: (prompt: string, more: object = {}) => ask('POST', '/v1/control/prompt', { prompt, ...more }),
    interrupt: async () => request(await submit('interrupt', {})),
    keys: (sequence: string) => ask('POST', '/v1/control/send-keys', { sequence }),
    state: async () => (await ask('GET', '/v1/control/tui/state')).body,
    ready: () =>
      expect
        .poll(status)
        .toMatchObject({ terminal_surface_eligibility: 'ready', active_execution: 'idle', queue_depth: 0 }),
  };
}

function startCommandOf(tool: AgentTool, home: ToolHome): string {
  const variables = Object.entries({ ...home.env, [home.variable]: home.home });
  return ['env', ...variables.map(([name, value]) => `${name}=${value}`), agentPath(tool)].join(' ');
}
