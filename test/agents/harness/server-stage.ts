import { mkdirSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import type { components } from '../../../generated/managed-agent/types.js';
import type { Answer } from '../../support/http.js';
import { launchOn } from '../../support/managed-agents.js';
import { managedHost, type ServerProcess, startManagedServer } from '../../support/managed-server.js';
import { type OwnTmux, ownTmux } from '../../support/own-tmux.js';
import { type AgentTool, agentPath } from './agent-paths.js';
import { brainOf, roleWords } from './brain-of.js';
import { type FakeModel, startFakeModel } from './fake-model/server.js';
import { makeHome, type ToolHome } from './homes.js';
import { processesWith } from './live-processes.js';

export type Schemas = components['schemas'];
export type TurnRecord = Schemas['TurnRecord'];

/** A real server process, and an agent of it that is a real CLI; its model is the fake one. */
export interface ServerStage {
  readonly tool: AgentTool;
  readonly fake: FakeModel;
  /** The agent as the server tells of it. */
  readonly identity: Schemas['AgentIdentity'];
  /** Where the server that runs now is reached. */
  url(): string;
  /** Of the server that runs now; `path` is below the agent. */
  ask(method: string, path: string, body?: object): Promise<Answer>;
  /** The same for a path of the server itself. */
  askServer(method: string, path: string, body?: object): Promise<Answer>;
  /** Prompts the agent by its name; the id of the turn. */
  prompt(text: string, more?: object): Promise<string>;
  /** The record of a turn once it has ended. */
  record(turnId: string): Promise<TurnRecord>;
  /** Prompts and waits for the end, which is a good one. */
  say(text: string, more?: object): Promise<TurnRecord>;
  /** Interrupts whatever the agent does; what the server says of it. */
  interrupt(): Promise<Schemas['AgentRequestAccepted']>;
  attach(): Promise<Schemas['GatewayStatus']>;
  detach(): Promise<void>;
  /** Every live process of the agent, also one that the server knows nothing of. */
  agentProcesses(): readonly number[];
  hasTmuxSession(): boolean;
  screen(): string;
  /** Kills the server as a crash would, and starts another one over the same folder. */
  killServer(): Promise<void>;
  startServer(): Promise<void>;
}

/**
 * Sets a stage up for the tests of a describe block, and takes it down afterwards. A headless agent is launched by the server, from
 * a brain manifest; one in a terminal as an operator launches it, and the server finds it.
 */
export function serverStage(tool: AgentTool, transport: 'headless' | 'tui'): () => ServerStage {
  const tmux = ownTmux({ LANG: process.env.LANG });
  let stage: (ServerStage & { close(): Promise<void> }) | undefined;
  beforeEach(async () => {
    stage ??= await openStage(tool, transport, tmux);
  });
  // After a test that failed, the next one gets a stage of its own.
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail' || stage === undefined) return;
    if (stage.hasTmuxSession())
      console.log(`The pane at the end of "${task.name}":\n${stage.screen().trimEnd()}`);
    await stage.close();
    stage = undefined;
  });
  afterAll(() => stage?.close());
  return () => stage!;
}

async function openStage(tool: AgentTool, transport: 'headless' | 'tui', tmux: OwnTmux) {
  const folder = await mkdtemp(path.join(os.homedir(), `${tool}-server-`));
  const work = path.join(folder, 'work');
  mkdirSync(work);
  const fake = await startFakeModel();
  const home = await makeHome(tool, { root: folder, modelUrl: fake.url, workingDirectory: work });
  const host = managedHost(folder, tmux);
  let server: ServerProcess = await startManagedServer(host, folder);
  const askServer: ServerStage['askServer'] = (method, route, body) => server.ask(method, route, body);
  if (transport === 'headless') {
    const launch = { ...brainOf(tool, home, folder, work), agent_name: 'alpha' };
    const launched = await askServer('POST', '/houmao/agents/headless/launches', launch);
    expect({ status: launched.status, detail: launched.body.detail }).toMatchObject({ status: 200 });
  } else {
    await launchOn(host, folder, 'alpha', terminalRequest(tool, home, work));
    await expect.poll(async () => (await askServer('GET', '/houmao/agents/alpha')).status).toBe(200);
  }
  const identity: Schemas['AgentIdentity'] = (await askServer('GET', '/houmao/agents/alpha')).body;
  const session = `=${identity.tmux_session_name}`;
  return {
    tool,
    fake,
    identity,
    askServer,
    ...asked(askServer),
    url: () => server.url,
    agentProcesses: () => processesWith(home.variable, home.home),
    hasTmuxSession: () => sessionsOf(tmux).includes(String(identity.tmux_session_name)),
    screen: () => tmux.run('capture-pane', '-p', '-t', `${session}:0.0`),
    killServer: () => server.kill(),
    async startServer() {
      server = await startManagedServer(host, folder);
    },
    async close() {
      await askServer('POST', '/houmao/agents/alpha/stop');
      expect([processesWith(home.variable, home.home), sessionsOf(tmux)]).toEqual([[], []]);
      await server.stop();
      await fake.close();
    },
  };
}

/** The calls that a caller of the server can make for the agent. */
function asked(askServer: ServerStage['askServer']) {
  const ask: ServerStage['ask'] = (method, route, body) =>
    askServer(method, `/houmao/agents/alpha${route}`, body);
  const taken = async (route: string, body?: object): Promise<Answer> => {
    const answer = await ask('POST', route, body);
    if (answer.status !== 200) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  };
  const prompt: ServerStage['prompt'] = async (text, more = {}) => {
    const answer = await taken('/requests', { request_kind: 'submit_prompt', prompt: text, ...more });
    return String(answer.headers.get('x-houmao-turn-id'));
  };
  const record: ServerStage['record'] = async (turnId) =>
    (await ask('GET', `/turns/${turnId}/record?wait_seconds=40`)).body;
  return {
    ask,
    prompt,
    record,
    async say(text: string, more: object = {}) {
      const turn = await record(await prompt(text, more));
      expect(turn).toMatchObject({ state: 'ended', outcome: 'completed', error: null });
      return turn;
    },
    interrupt: async () => (await taken('/requests', { request_kind: 'interrupt' })).body,
    async attach() {
      const { body } = await taken('/gateway/attach');
      expect(body).toMatchObject({ gateway_health: 'healthy' });
      return body;
    },
    async detach() {
      expect((await taken('/gateway/detach')).body).toMatchObject({ gateway_health: 'not_attached' });
    },
  };
}

function sessionsOf(tmux: OwnTmux): readonly string[] {
  try {
    return tmux.run('list-sessions', '-F', '#{session_name}').split('\n');
  } catch {
    // The last session has ended, and tmux with it.
    return [];
  }
}

/** As an operator would launch it; nothing of this process is handed on but what any program needs. */
function terminalRequest(tool: AgentTool, home: ToolHome, workingDirectory: string) {
  const { HOME = '' } = process.env;
  return {
    tool,
    workingDirectory,
    homePath: home.home,
    executable: agentPath(tool),
    tmux: true,
    terminal: true,
    role: roleWords,
    variables: Object.entries({ HOME, ...home.env }).map(([name, value]) => ({ name, value })),
  };
}
