// A gateway reduced to what its clients see: the contract's shapes, an echo for an agent, and no storage.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Schemas } from '@houmao/sdk';
import { answerJson, type Handler, type LocalServer, listen, type Received } from './local-server.js';

export interface StubGateway extends LocalServer {
  /** Every request that was queued: two where there should be one are a prompt given twice. */
  readonly records: readonly Schemas['RequestRecord'][];
  /** Ends a request that takes forever, with the answer `Done.` */
  complete(index: number): void;
}

export interface StubOptions {
  /** How long the agent works on a prompt. Prompts that contain `fail` fail, those with `forever` do not end. */
  turnMs?: number;
  /** As for an agent in a terminal: a request is completed when its turn begins. */
  interactive?: boolean;
  /** Takes a request away from the stub by answering `true`. */
  intercept?: (...args: Parameters<Handler>) => boolean;
  port?: number;
}

export async function startStubGateway(options: StubOptions = {}): Promise<StubGateway> {
  const { turnMs = 30, interactive = false, intercept, port } = options;
  const records: Schemas['RequestRecord'][] = [];
  const stored = new Map<string, Schemas['RequestAccepted']>();
  const server = await listen(
    async (received, res) => {
      if (intercept?.(received, res)) return;
      const { method, url, body } = received;
      // The server forwards the same operations below another path.
      const ownUrl = url.replace(/^\/houmao\/agents\/[^/]+\/gateway/, '/v1');
      const { pathname, searchParams } = new URL(ownUrl, 'http://stub');
      const [, , collection, id] = pathname.split('/').map(decodeURIComponent);
      const route = `${method} ${pathname}`;
      if (route === 'GET /health') return answerJson(res, 200, health());
      if (route === 'GET /v1/status') return answerJson(res, 200, status(records.length));
      if (route === 'POST /v1/control/prompt') return answerJson(res, 409, busy());
      if (route === 'GET /v1/requests') {
        return answerJson(res, 200, { schema_version: 1, requests: records.toReversed(), next_cursor: null });
      }
      if (route === 'POST /v1/requests') return submit(received, JSON.parse(body), res);
      const record = records.find((each) =>
        collection === 'turns'
          ? each.turn?.turn_id === id
          : collection === 'requests' && each.request_id === id,
      );
      if (!record) return answerJson(res, 404, { detail: `No ${collection} \`${id}\` on this gateway.` });
      if (method === 'DELETE') {
        if (record.state === 'running') {
          return answerJson(res, 409, { detail: 'It runs already: send an interrupt instead.' });
        }
        if (record.state === 'accepted') finish(record, 'cancelled');
        return answerJson(res, 200, record);
      }
      const until = Date.now() + Number(searchParams.get('wait_seconds') ?? 0) * 1000;
      const isOver = () =>
        collection === 'turns' ? record.turn?.state === 'ended' : record.finished_at_utc !== null;
      while (!isOver() && Date.now() < until && !res.destroyed) await sleep(5);
      answerJson(res, 200, collection === 'turns' ? record.turn : record);
    },
    '127.0.0.1',
    port,
  );

  function submit(received: Received, body: Schemas['RequestCreate'], res: Parameters<Handler>[1]) {
    if (body.kind !== 'submit_prompt' || body.payload.prompt.trim() === '')
      return answerJson(res, 422, blank());
    const key = String(received.headers['idempotency-key']);
    const known = stored.get(key);
    if (known) return answerJson(res, 202, known, { 'Idempotency-Replayed': 'true' });
    const record = newRecord(records.length, body.payload);
    records.push(record);
    const accepted = acceptedOf(record, records.length);
    stored.set(key, accepted);
    if (!body.payload.prompt.includes('forever')) void work(record, body.payload.prompt, turnMs, interactive);
    answerJson(res, 202, accepted, { Location: `/v1/requests/${record.request_id}` });
  }

  const complete = (index: number): void => {
    const record = records[index]!;
    record.turn = turnOf(record, { text: 'Done.', truncated: false });
    finish(record, 'completed');
  };
  return { ...server, records, complete };
}

async function work(
  record: Schemas['RequestRecord'],
  prompt: string,
  turnMs: number,
  interactive: boolean,
): Promise<void> {
  await sleep(turnMs / 2);
  if (record.state !== 'accepted') return;
  Object.assign(record, { state: 'running', started_at_utc: now(), queue_position: null });
  if (interactive) {
    record.turn = { ...turnOf(record, null), state: 'running', ended_at_utc: null, outcome: null };
    finish(record, 'completed');
  }
  await sleep(turnMs / 2);
  const failed = prompt.includes('fail');
  const error = failed ? ({ code: 'agent_failed', detail: 'The agent exited with code 1.' } as const) : null;
  const answer = failed ? null : { text: `You said: ${prompt}`, truncated: false };
  record.turn = { ...turnOf(record, answer), error };
  if (interactive) return;
  record.error = error;
  finish(record, failed ? 'failed' : 'completed');
}

function finish(record: Schemas['RequestRecord'], state: Schemas['RequestState']): void {
  Object.assign(record, { state, finished_at_utc: now(), queue_position: null });
}

const now = () => new Date().toISOString();
const health = (): Schemas['Health'] => ({ protocol_version: 'v1', status: 'ok' });

function newRecord(serial: number, payload: Schemas['SubmitPromptPayload']): Schemas['RequestRecord'] {
  return {
    schema_version: 1,
    request_id: `gwreq-20260313-000000Z-${String(serial).padStart(8, '0')}`,
    request_kind: 'submit_prompt',
    state: 'accepted',
    accepted_at_utc: now(),
    started_at_utc: null,
    finished_at_utc: null,
    managed_agent_instance_epoch: 1,
    queue_position: 0,
    waiting_reason: null,
    error: null,
    superseded_by: null,
    result: null,
    turn: null,
    prompt_preview: payload.prompt.slice(0, 200),
  };
}

function acceptedOf(record: Schemas['RequestRecord'], depth: number): Schemas['RequestAccepted'] {
  const { request_id, accepted_at_utc } = record;
  return {
    request_id,
    request_kind: 'submit_prompt',
    state: 'accepted',
    accepted_at_utc,
    queue_depth: depth,
    managed_agent_instance_epoch: 1,
  };
}

function turnOf(
  record: Schemas['RequestRecord'],
  answer: Schemas['TurnAnswer'] | null,
): Schemas['TurnRecord'] {
  return {
    turn_id: `turn-${record.request_id}`,
    origin: 'queue',
    request_id: record.request_id,
    tool: 'claude',
    state: 'ended',
    started_at_utc: now(),
    ended_at_utc: now(),
    delivery: { state: 'confirmed', at_utc: now(), evidence: 'init row' },
    outcome: answer ? 'completed' : 'failed',
    provider_session_id: null,
    model: null,
    exit_code: answer ? 0 : 1,
    signal: null,
    error: null,
    answer,
    usage: null,
    artifacts: [],
  };
}

function status(depth: number): Schemas['GatewayStatus'] {
  return {
    schema_version: 1,
    protocol_version: 'v1',
    attach_identity: 'stub',
    backend: 'claude_headless',
    tmux_session_name: 'stub',
    gateway_health: 'healthy',
    managed_agent_connectivity: 'connected',
    managed_agent_recovery: 'idle',
    request_admission: 'open',
    terminal_surface_eligibility: 'ready',
    active_execution: 'idle',
    execution_mode: 'detached_process',
    queue_depth: depth,
    gateway_host: '127.0.0.1',
    gateway_port: 1,
    gateway_tmux_window_id: null,
    gateway_tmux_window_index: null,
    gateway_tmux_pane_id: null,
    managed_agent_instance_epoch: 1,
    managed_agent_instance_id: null,
  };
}

function blank(): Schemas['ErrorItems'] {
  const loc = ['body', 'payload', 'prompt'];
  return { detail: [{ type: 'value_error', loc, msg: 'prompt must not be blank', input: ' ' }] };
}

function busy(): Schemas['PromptRefused'] {
  return {
    detail: {
      status: 'error',
      action: 'submit_prompt',
      sent: false,
      forced: false,
      error_code: 'not_ready',
      detail: 'The agent works on a turn.',
    },
  };
}
