// A managed-agent server reduced to what prompts see of it: the contract's shapes, an echo for an agent, and no storage.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Schemas } from '@houmao/sdk/managed-agent';
import { answerJson, type Handler, type LocalServer, listen, type Received } from '../local-server.js';

type Turn = Schemas['TurnRecord'];
type Response = Parameters<Handler>[1];

export interface StubServer extends LocalServer {
  /** Every turn that was begun: two where there should be one are a prompt given twice. */
  readonly turns: readonly Turn[];
  /** Begins the turn of the prompt that waits in the gateway's queue. */
  beginQueued(): void;
  /** Ends a turn that takes forever. */
  complete(index: number): void;
  /** Takes that prompt out of the queue. */
  cancelQueued(): void;
}

export interface StubOptions {
  /** How long the agent works on a prompt. Prompts that contain `fail` fail, those with `forever` do not end. */
  turnMs?: number;
  /** Prompts wait in a gateway's queue until {@link StubServer.beginQueued}. */
  queues?: boolean;
  /** Takes a request away from the stub by answering `true`. */
  intercept?: (...args: Parameters<Handler>) => boolean;
}

export async function startStubServer(options: StubOptions = {}): Promise<StubServer> {
  const { turnMs = 30, queues = false, intercept } = options;
  const turns: Turn[] = [];
  const taken = new Map<string, string>();
  let queued: { turnId: string; prompt: string } | null = null;
  let request: Schemas['RequestRecord'] | null = null;

  const begin = (turnId: string, prompt: string): void => {
    const turn = newTurn(turnId);
    turns.push(turn);
    if (!prompt.includes('forever')) setTimeout(() => end(turn, prompt), turnMs);
  };
  const submit = ({ headers, body }: Received, res: Response) => {
    const { prompt } = JSON.parse(body) as Schemas['AgentPromptRequest'];
    if (prompt.includes('refuse')) return answerJson(res, 409, { detail: 'It works.' });
    const key = String(headers['idempotency-key']);
    const known = taken.get(key);
    const turnId = known ?? `turn-${taken.size}`;
    taken.set(key, turnId);
    if (known === undefined && queues) {
      queued = { turnId, prompt };
      request = waiting(turnId);
    } else if (known === undefined) begin(turnId, prompt);
    const names = { 'X-Houmao-Turn-Id': turnId, ...(queues && { 'X-Houmao-Request-Id': 'gwreq-1' }) };
    answerJson(res, 200, acceptedPrompt, prompt.includes('nameless') ? {} : names);
  };

  const server = await listen(async (received, res) => {
    if (intercept?.(received, res)) return;
    const { pathname, searchParams } = new URL(received.url, 'http://stub');
    const route = `${received.method} ${pathname.replace('/houmao/agents/alpha', '')}`;
    const until = Date.now() + Number(searchParams.get('wait_seconds') ?? 0) * 1000;
    if (route === 'POST /requests') return submit(received, res);
    if (route === 'GET /gateway/requests/gwreq-1') return answerJson(res, 200, request);
    const turnId = /^GET \/turns\/(.+)\/record$/.exec(route)?.[1];
    const turn = turns.find((each) => each.turn_id === turnId);
    const named = request && queued?.turnId === turnId ? { 'X-Houmao-Request-Id': request.request_id } : {};
    if (!turn) return answerJson(res, 404, { detail: `No ${route}.` }, named);
    while (turn.state === 'running' && Date.now() < until && !res.destroyed) await sleep(5);
    answerJson(res, 200, turn);
  });
  return {
    ...server,
    turns,
    beginQueued: () => queued && begin(queued.turnId, queued.prompt),
    complete: (index) => end(turns[index]!, 'forever'),
    cancelQueued: () => {
      if (request) request = { ...request, state: 'cancelled', finished_at_utc: now() };
    },
  };
}

const now = (): string => new Date().toISOString();

function end(turn: Turn, prompt: string): void {
  const failed = prompt.includes('fail');
  Object.assign(turn, {
    state: 'ended',
    ended_at_utc: now(),
    outcome: failed ? 'failed' : 'completed',
    error: failed ? { code: 'agent_failed', detail: 'The agent exited with code 1.' } : null,
    answer: failed ? null : { text: `You said: ${prompt}`, truncated: false },
  });
}

const newTurn = (turnId: string): Turn => ({
  turn_id: turnId,
  origin: 'direct',
  request_id: null,
  tool: 'claude',
  state: 'running',
  started_at_utc: now(),
  ended_at_utc: null,
  delivery: { state: 'confirmed', at_utc: now(), evidence: 'init row' },
  outcome: null,
  provider_session_id: null,
  model: null,
  exit_code: null,
  signal: null,
  error: null,
  answer: null,
  usage: null,
  artifacts: [],
});

const acceptedPrompt: Schemas['AgentRequestAccepted'] = {
  success: true,
  tracked_agent_id: 'alpha',
  request_id: 'mreq-000000000001',
  request_kind: 'submit_prompt',
  disposition: 'accepted',
  detail: 'accepted',
  headless_turn_id: null,
  headless_turn_index: null,
};

const waiting = (turnId: string): Schemas['RequestRecord'] => ({
  schema_version: 1,
  request_id: 'gwreq-1',
  request_kind: 'submit_prompt',
  state: 'accepted',
  accepted_at_utc: now(),
  started_at_utc: null,
  finished_at_utc: null,
  managed_agent_instance_epoch: 1,
  queue_position: 0,
  waiting_reason: { code: 'busy', detail: `Not ${turnId} yet.` },
  error: null,
  superseded_by: null,
  result: null,
  turn: null,
  prompt_preview: null,
});
