import { ledgerOf, linesOf, storedState } from './evidence.mjs';

const waiters = new Set(['completed', 'failed', 'coalesced', 'cancelled']);

/**
 * Compares what the gateway has on disk, and what the agent says it did, with what the clients learned. The gateway
 * must not run.
 * @param final whether the queue was drained, so that every request must have ended.
 * @returns the violations, in words.
 */
export function check(session, load, final) {
  const state = storedState(session);
  const ledger = ledgerOf(session);
  return [
    ...nothingLost(state, load),
    ...nothingTwice(state, load, ledger),
    ...inOrder(state, load, ledger),
    ...oneAgentAtATime(ledger),
    ...statesMatchDeeds(state, load, ledger),
    ...(final ? [...everythingEnded(state), ...eventsComplete(session, state, load)] : []),
  ];
}

const promptOf = (row) => JSON.parse(row.payload_json).prompt ?? null;
const taken = (ledger) => ledger.filter((entry) => entry.prompt !== undefined);

function nothingLost(state, load) {
  const stored = new Map(state.requests.map((row) => [row.request_id, row]));
  return load.submissions.flatMap(({ requestId, prompt, kind }) => {
    if (!requestId) return [];
    const row = stored.get(requestId);
    if (!row) return [`lost: ${requestId} was acknowledged and is not stored`];
    return row.request_kind === kind && promptOf(row) === prompt
      ? []
      : [`changed: ${requestId} is stored as ${row.payload_json}`];
  });
}

function nothingTwice(state, load, ledger) {
  const rows = duplicates(state.requests.map(promptOf).filter((prompt) => prompt !== null));
  const runs = duplicates(taken(ledger).map((entry) => entry.prompt));
  const keys = new Set(load.submissions.filter(({ kind }) => kind === 'interrupt').map(({ key }) => key))
    .size;
  const interrupts = state.requests.filter((row) => row.request_kind === 'interrupt').length;
  return [
    ...rows.map((prompt) => `stored twice: ${prompt}`),
    ...runs.map((prompt) => `ran twice: ${prompt}`),
    ...(interrupts > keys ? [`${interrupts} interrupts stored, ${keys} sent`] : []),
  ];
}

function inOrder(state, load, ledger) {
  const rowids = new Map(state.requests.map((row) => [row.request_id, row.rowid]));
  const stored = new Map(state.requests.map((row) => [promptOf(row), row.rowid]));
  const ran = taken(ledger).filter((entry) => stored.has(entry.prompt));
  const shuffled = ran.filter(
    (entry, index) => index > 0 && stored.get(entry.prompt) < stored.get(ran[index - 1].prompt),
  );
  // A request whose caller got "accepted" before another was sent stands before that other.
  const known = load.submissions
    .filter(({ requestId }) => rowids.has(requestId))
    .sort((a, b) => rowids.get(a.requestId) - rowids.get(b.requestId));
  let latest = 0;
  const overtaken = known.filter((submission) => {
    const late = submission.acknowledged < latest;
    latest = Math.max(latest, submission.sent);
    return late;
  });
  return [
    ...shuffled.map((entry) => `ran out of order: ${entry.prompt}`),
    ...overtaken.map(({ requestId }) => `stored behind a later one: ${requestId}`),
  ];
}

/** An agent that wrote its end did so before the next one wrote its beginning. */
function oneAgentAtATime(ledger) {
  const ends = new Map(
    ledger.flatMap((entry, index) => (entry.done ? [[`${entry.pid} ${entry.turn_id}`, index]] : [])),
  );
  let busyUntil = -1;
  return ledger.flatMap((entry, index) => {
    if (entry.prompt === undefined) return [];
    const overlaps = busyUntil > index;
    busyUntil = Math.max(busyUntil, ends.get(`${entry.pid} ${entry.turn_id}`) ?? index);
    return overlaps ? [`two agents at once: ${entry.prompt}`] : [];
  });
}

function statesMatchDeeds(state, load, ledger) {
  const runs = new Map(taken(ledger).map((entry) => [entry.prompt, entry]));
  const answered = new Set(
    ledger.filter((entry) => entry.outcome === 'answered').map((entry) => `${entry.pid} ${entry.turn_id}`),
  );
  const faults = [];
  for (const row of state.requests.filter((one) => one.request_kind === 'submit_prompt')) {
    const run = runs.get(promptOf(row));
    const idle = row.state === 'accepted' || row.state === 'cancelled' || row.state === 'coalesced';
    if (idle && run) faults.push(`${row.request_id} is ${row.state}, and the agent had it`);
    if (row.state === 'completed' && !(run && answered.has(`${run.pid} ${run.turn_id}`)))
      faults.push(`${row.request_id} is completed, and the agent did not answer it`);
    if (row.state === 'failed' && row.error_code === null)
      faults.push(`${row.request_id} failed without a reason`);
    if (load.cancelled.has(row.request_id) && row.state !== 'cancelled')
      faults.push(`${row.request_id} was cancelled, and is ${row.state}`);
  }
  const turns = new Set(state.turns.map((turn) => turn.turn_id));
  for (const { turnId } of load.dispatched)
    if (!turns.has(turnId)) faults.push(`${turnId} was dispatched and is not stored`);
  const known = new Set([
    ...state.requests.map(promptOf),
    ...load.dispatched.map(({ prompt }) => prompt),
    ...load.unanswered,
  ]);
  for (const { prompt } of taken(ledger)) if (!known.has(prompt)) faults.push(`nobody asked for: ${prompt}`);
  return faults;
}

function everythingEnded(state) {
  return [
    ...state.requests
      .filter((row) => !waiters.has(row.state))
      .map((row) => `${row.request_id} stayed ${row.state}`),
    ...state.turns
      .filter((turn) => turn.state !== 'ended')
      .map((turn) => `${turn.turn_id} stayed ${turn.state}`),
  ];
}

function eventsComplete(session, state, load) {
  const faults = [];
  if (linesOf(session.paths.events).join('\n') !== state.eventLines.join('\n'))
    faults.push('events.jsonl is not what the events table says');
  if (linesOf(session.paths.log).join('\n') !== state.logLines.join('\n'))
    faults.push('gateway.log is not what the events table says');
  const events = linesOf(session.paths.events).map((line) => JSON.parse(line));
  const count = (predicate) => events.filter(predicate).length;
  for (const { request_id, state: ended } of state.requests) {
    const accepted = count((event) => event.kind === 'accepted' && event.request_id === request_id);
    const over = count(
      (event) =>
        event.kind === ended &&
        (event.request_id === request_id || event.coalesced_request_ids?.includes(request_id)),
    );
    if (accepted !== 1 || over !== 1)
      faults.push(`${request_id}: ${accepted} accepted and ${over} ${ended} events`);
  }
  for (const { turnId } of load.dispatched) {
    const over = count(
      (event) => /^control_prompt_(completed|failed)$/.test(event.kind) && event.turn_id === turnId,
    );
    if (over !== 1) faults.push(`${turnId} has ${over} end events`);
  }
  return faults;
}

const duplicates = (values) => [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
