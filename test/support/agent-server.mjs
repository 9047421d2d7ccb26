// Another server, as far as a gateway needs it: the terminal routes of a CAO server and the managed-agent routes of a
// Houmao server, for one agent. A process of its own, so that it can be killed and stopped. How it behaves is set with
// PUT /behaviour; what it was asked is read with GET /calls.
import { createServer } from 'node:http';

const behaviour = {
  /** Its name in /health: houmao-passive-server runs whole turns inside one request. */
  service: 'houmao-server',
  agentId: 'agent-1',
  available: true,
  /** Terminal status; `null` leaves it out. */
  terminalStatus: 'idle',
  /** Status the terminal takes when it gets a prompt. */
  statusAfterInput: 'processing',
  inputSucceeds: true,
  exitSucceeds: true,
  /** How a turn ends when it is finished: completed, failed, interrupted. */
  turnEnds: 'completed',
  turnError: null,
  /** A turn is over this many milliseconds after it began; null: when PUT /finish says so. */
  turnMilliseconds: 0,
  /** Whether an interrupt ends the turn. */
  obeysInterrupts: true,
  /** Accepted prompts get the name of a turn. */
  namesTurns: true,
  /** Whether it lists its turns at all. */
  keepsRecords: true,
  /** Per path ending, such as "/input": answer with this `{status, text}`, or "hang", "hold" (until PUT /release), "cut" (close without an answer). */
  faults: {},
};
const calls = [];
const held = [];
const turns = new Map();
let active = null;
let serial = 0;

const server = createServer(async (request, response) => {
  const url = new URL(request.url, 'http://x');
  const text = await bodyOf(request);
  const body = text === '' ? null : JSON.parse(text);
  const reply = (status, value) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  if (url.pathname === '/behaviour') return reply(200, Object.assign(behaviour, body));
  if (url.pathname === '/calls') return reply(200, calls);
  if (url.pathname === '/finish') return reply(200, { finished: finish(behaviour.turnEnds) });
  if (url.pathname === '/release') return reply(200, { released: held.splice(0).map((go) => go()).length });
  calls.push({
    method: request.method,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    body,
  });
  const fault = Object.entries(behaviour.faults).find(([ending]) => url.pathname.endsWith(ending))?.[1];
  if (fault === 'hang') return;
  if (fault === 'hold') await new Promise((resolve) => held.push(resolve));
  else if (fault === 'cut') return request.socket.destroy();
  else if (fault) {
    response.writeHead(fault.status, { 'Content-Type': 'application/json' });
    return response.end(fault.text);
  }
  if (url.pathname === '/health') return reply(200, { status: 'ok', houmao_service: behaviour.service });
  const terminal = /^(?:\/cao)?\/terminals\/([^/]+)(\/\w+)?$/.exec(url.pathname);
  if (terminal) return terminalRoute(terminal[2] ?? '', terminal[1], reply);
  const agent = /^\/houmao\/agents\/([^/]+)(\/.*)$/.exec(url.pathname);
  if (agent) return agentRoute(agent[2], body, reply, response);
  return reply(404, { detail: 'Not Found' });
});

function terminalRoute(action, id, reply) {
  const { terminalStatus: status } = behaviour;
  if (action === '') return reply(200, { id, name: 'agent', ...(status === null ? {} : { status }) });
  if (action === '/exit') {
    if (behaviour.exitSucceeds && status !== null) behaviour.terminalStatus = 'idle';
    return reply(200, { success: behaviour.exitSucceeds });
  }
  if (behaviour.inputSucceeds && status !== null) behaviour.terminalStatus = behaviour.statusAfterInput;
  return reply(200, { success: behaviour.inputSucceeds });
}

async function agentRoute(route, body, reply, response) {
  if (route === '/state/detail') return reply(200, detail());
  if (route === '/requests' && body.request_kind === 'interrupt') {
    const found = active !== null;
    if (found && behaviour.obeysInterrupts) finish('interrupted');
    return reply(200, accepted('interrupt', found ? 'accepted' : 'no_op', null));
  }
  if (route === '/requests') {
    if (active) return reply(409, { detail: 'managed work is already active' });
    serial += 1;
    const turnId = `turn-of-server-${serial}`;
    begin(turnId, body.prompt);
    return reply(200, accepted('submit_prompt', 'accepted', behaviour.namesTurns ? turnId : null));
  }
  if (route === '/gateway/internal/headless-prompt') {
    if (active) return reply(409, { detail: 'managed work is already active' });
    await new Promise((resolve) => begin(body.turn_id, body.prompt, resolve));
    return reply(200, { success: true });
  }
  const turn = /^\/turns\/([^/]+)(\/artifacts\/stdout)?$/.exec(route);
  const record = turn && behaviour.keepsRecords ? turns.get(decodeURIComponent(turn[1])) : null;
  if (!record) return reply(404, { detail: 'no such turn' });
  if (!turn[2]) return reply(200, { ...record, turn_index: 1, answered: undefined });
  response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' });
  response.end(
    `${JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: `Echo: ${record.prompt}` })}\n`,
  );
}

function detail() {
  const turn = { phase: active ? 'active' : 'ready', active_turn_id: active };
  return {
    tracked_agent_id: behaviour.agentId,
    summary_state: { availability: behaviour.available ? 'available' : 'unavailable', turn },
    detail: {
      transport: 'headless',
      can_accept_prompt_now: active === null,
      interruptible: active !== null,
      turn,
    },
  };
}

const accepted = (kind, disposition, turnId) => ({
  success: true,
  tracked_agent_id: behaviour.agentId,
  request_id: 'mreq-000000000001',
  request_kind: kind,
  disposition,
  detail: disposition,
  headless_turn_id: turnId,
  headless_turn_index: turnId ? serial : null,
});

function begin(turnId, prompt, over = () => undefined) {
  active = turnId;
  turns.set(turnId, { turn_id: turnId, status: 'active', prompt, returncode: null, error: null, over });
  if (behaviour.turnMilliseconds !== null)
    setTimeout(() => finish(behaviour.turnEnds), behaviour.turnMilliseconds);
}

function finish(status) {
  const record = active && turns.get(active);
  if (!record) return false;
  active = null;
  Object.assign(record, { status, returncode: status === 'completed' ? 0 : 1, error: behaviour.turnError });
  record.over();
  return true;
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => console.log(server.address().port));
// It never outlives the process that started it.
process.stdin.on('end', () => process.exit(0)).resume();
