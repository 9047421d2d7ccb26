import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { toEventLine, toLogLine } from '../../dist/src/events/read-event.js';
import { openDatabase } from '../../dist/src/foundation/open-database.js';

export const linesOf = (path) =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
export const ledgerOf = (session) => linesOf(session.ledger).map((line) => JSON.parse(line));

/** Living processes that carry the mark of one of these turns. */
export function markedProcesses(turnIds) {
  const marks = turnIds.map((id) => `\0HOUMAO_TURN_ID=${id}\0`);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const environment = `\0${environmentOf(pid)}`;
      return marks.some((mark) => environment.includes(mark));
    })
    .map(Number);
}

function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

/** The rows that a gateway that does not run left in its database; empty before it ever made one. */
export function storedState(session) {
  const nothing = { requests: [], turns: [], events: [], eventLines: [], logLines: [] };
  if (!existsSync(session.paths.queue)) return nothing;
  const database = openDatabase(session.paths.queue);
  try {
    const tables = database
      .prepare(
        `SELECT COUNT(*) AS n FROM sqlite_master WHERE name IN ('gateway_requests', 'turns', 'events')`,
      )
      .get();
    if (tables.n < 3) return nothing;
    const requests = database
      .prepare(
        'SELECT rowid, r.*, e.code AS error_code FROM gateway_requests r LEFT JOIN request_errors e USING (request_id) ORDER BY r.rowid',
      )
      .all();
    const turns = database.prepare('SELECT * FROM turns ORDER BY rowid').all();
    const events = database.prepare('SELECT * FROM events ORDER BY seq').all();
    const present = (line) => line !== null;
    return {
      requests,
      turns,
      events,
      eventLines: events.map(toEventLine).filter(present),
      logLines: events.map(toLogLine).filter(present),
    };
  } finally {
    database.close();
  }
}
