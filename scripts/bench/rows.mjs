import { eventStoreSchemas } from '../../dist/src/events/event-store.js';
import { queueSchemas } from '../../dist/src/gateway/queue-schemas.js';
import { queueStore } from '../../dist/src/session/session-paths.js';
import { openStore } from '../../dist/src/storage/open-store.js';

const stamp = '2026-03-13T00:00:00+00:00';
const name = (prefix, index) => `${prefix}-20260313-000000Z-${index.toString(16).padStart(8, '0')}`;

/** Fills the queue of a stopped gateway as a long life would have: rows, turns, events and idempotency keys. */
export function addRows(session, count, state) {
  const database = openStore(queueStore(session.paths), [...eventStoreSchemas, ...queueSchemas]);
  const finished = state === 'completed';
  const request = database.prepare(
    `INSERT INTO gateway_requests (request_id, request_kind, payload_json, state, accepted_at_utc, started_at_utc, finished_at_utc,
       managed_agent_instance_epoch, result_json) VALUES (?, 'submit_prompt', ?, ?, ?, ?, ?, 1, ?)`,
  );
  const turn = database.prepare(
    `INSERT INTO turns (turn_id, origin, request_id, tool, state, started_at_utc, ended_at_utc, delivery_state, delivery_at_utc, outcome, answer_text)
     VALUES (?, 'queue', ?, 'claude', 'ended', ?, ?, 'confirmed', ?, 'completed', ?)`,
  );
  const event = database.prepare(
    'INSERT INTO events (at_utc, kind, subject_id, data_json) VALUES (?, ?, ?, ?)',
  );
  const key = database.prepare(
    "INSERT INTO idempotency_keys (scope, key, body_digest, subject_id, answer_json, at) VALUES ('request', ?, ?, ?, ?, 0)",
  );
  const payload = JSON.stringify({
    chat_session: null,
    execution: null,
    prompt: 'p'.repeat(300),
    turn_id: null,
  });
  database.transaction(() => {
    for (let index = 0; index < count; index += 1) {
      const id = name('gwreq', index);
      request.run(
        id,
        payload,
        state,
        stamp,
        finished ? stamp : null,
        finished ? stamp : null,
        finished ? '{}' : null,
      );
      if (finished) turn.run(name('turn', index), id, stamp, stamp, stamp, 'a'.repeat(300));
      key.run(`key-${index}`, 'd'.repeat(64), id, '{}');
      for (const kind of finished
        ? ['accepted', 'request_started', 'turn_ended', 'completed']
        : ['accepted']) {
        event.run(
          stamp,
          kind,
          id,
          JSON.stringify({ request_id: id, request_kind: 'submit_prompt', accepted_at_utc: stamp }),
        );
      }
    }
    const { last } = database.prepare('SELECT COALESCE(MAX(seq), 0) AS last FROM events').get();
    for (const file of ['events.jsonl', 'gateway.log']) {
      database
        .prepare('INSERT OR REPLACE INTO projections (name, seq, bytes) VALUES (?, ?, 0)')
        .run(file, last);
    }
  })();
  database.close();
}
