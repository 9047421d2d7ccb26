import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { components } from '../../../generated/gateway/types.js';
import type { LaunchRequest } from '../../../src/launch/launch-request.js';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { type Answer, call, waitFinal } from '../../support/http.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { type AgentTool, agentPath } from './agent-paths.js';
import { type FakeModel, startFakeModel } from './fake-model/server.js';
import { makeHome, type ToolHome } from './homes.js';
import { processesWith } from './live-processes.js';

export type RequestRecord = components['schemas']['RequestRecord'];
export type TurnRecord = components['schemas']['TurnRecord'];
type PromptPayload = Omit<components['schemas']['SubmitPromptPayload'], 'prompt'>;

/** A real gateway for a real CLI, whose model is the fake one. */
export interface GatewayStage {
  readonly tool: AgentTool;
  readonly fake: FakeModel;
  readonly session: TestSession;
  /** The one that runs now. */
  readonly gateway: GatewayProcess;
  post(kind: 'submit_prompt' | 'interrupt', payload: object): Promise<Answer>;
  /** Queues a prompt; its request id. */
  queue(prompt: string, payload?: PromptPayload): Promise<string>;
  final(requestId: string): Promise<RequestRecord>;
  /** Queues a prompt and waits for its end. */
  run(prompt: string, payload?: PromptPayload): Promise<RequestRecord>;
  /** Every live process of the agent, also one that the gateway knows nothing of. */
  agentProcesses(): readonly number[];
  canonicalEvents(turn: TurnRecord): readonly CanonicalEventRow[];
  /** Kills the gateway as a crash would, and starts another one for the same session. */
  killGateway(): Promise<void>;
  startGateway(): Promise<void>;
}

export interface CanonicalEventRow {
  readonly kind: string;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface StageOptions {
  readonly launch?: Partial<LaunchRequest>;
  /** Where the session lives; the home of the sandbox by default. */
  readonly parent?: string;
}

/** Sets a stage up for the tests of a describe block, and takes it down afterwards. */
export function gatewayStage(tool: AgentTool, options: StageOptions = {}): () => GatewayStage {
  let stage: (GatewayStage & { close(): Promise<void> }) | undefined;
  beforeAll(async () => {
    stage = await openStage(tool, options);
  });
  afterAll(() => stage?.close());
  return () => stage!;
}

async function openStage(tool: AgentTool, { launch = {}, parent = os.homedir() }: StageOptions) {
  const folder = await mkdtemp(path.join(parent, `${tool}-gateway-`));
  const workingDirectory = path.join(folder, 'work');
  const tmuxFolder = path.join(folder, 'tmux');
  for (const each of [workingDirectory, tmuxFolder]) mkdirSync(each);
  // The session is made by this process, its turns are started by the gateway: both must find the same tmux server.
  process.env.TMUX_TMPDIR = tmuxFolder;
  const fake = await startFakeModel();
  const home = await makeHome(tool, { root: folder, modelUrl: fake.url, workingDirectory });
  const session = await makeSession({
    tool,
    folder,
    workingDirectory,
    homePath: home.home,
    executable: agentPath(tool),
    environment: environmentFor(home),
    ...launch,
  });
  let gateway = await startGateway(session);
  const post: GatewayStage['post'] = (kind, payload) =>
    call(gateway.url, 'POST', '/v1/requests', { kind, payload });
  const queue: GatewayStage['queue'] = async (prompt, payload = {}) => {
    const accepted = await post('submit_prompt', { prompt, ...payload });
    if (accepted.status !== 202) throw new Error(`not accepted: ${JSON.stringify(accepted.body)}`);
    return accepted.body.request_id;
  };
  const final = async (requestId: string): Promise<RequestRecord> => waitFinal(gateway.url, requestId);
  return {
    tool,
    fake,
    session,
    get gateway() {
      return gateway;
    },
    post,
    queue,
    final,
    run: async (prompt: string, payload: PromptPayload = {}) => final(await queue(prompt, payload)),
    agentProcesses: () => processesWith(home.variable, home.home),
    canonicalEvents: (turn: TurnRecord) => canonicalEventsOf(session, turn),
    killGateway: () => gateway.kill(),
    async startGateway() {
      gateway = await startGateway(session);
    },
    async close() {
      await gateway.stop();
      await fake.close();
      if (launch.tmux) {
        execFileSync('tmux', ['kill-server'], { env: { ...process.env, TMUX_TMPDIR: tmuxFolder } });
      }
    },
  };
}

/** The environment that `agents launch` would record: nothing of this process but what any program needs. */
function environmentFor(home: ToolHome): Record<string, string> {
  const { PATH = '', HOME = '', LANG = '' } = process.env;
  return { PATH, HOME, LANG, ...home.env };
}

function canonicalEventsOf(session: TestSession, turn: TurnRecord): readonly CanonicalEventRow[] {
  const file = turn.artifacts.find((artifact) => artifact.endsWith('/canonical-events.jsonl'));
  if (file === undefined) throw new Error(`turn ${turn.turn_id} has no canonical-events.jsonl`);
  const lines = readFileSync(path.join(session.paths.root, file), 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as CanonicalEventRow);
}
