import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rowSchemas } from '../../../../src/dispatch/queue/queue-tables.js';
import { RequestTable } from '../../../../src/dispatch/queue/request-table.js';
import { WatchedDatabase } from '../../../../src/storage/watched-database.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const folder = temporaryFolder();
let serial = 0;
let store: WatchedDatabase;
let table: RequestTable;
beforeEach(() => {
  serial += 1;
  const path = join(folder, String(serial), 'queue.sqlite');
  store = new WatchedDatabase({ path, thing: 'queue', program: 'gateway' }, rowSchemas, () => undefined);
  table = new RequestTable(store);
});
afterEach(() => store.close());

const outcomes = ['completed', 'failed', 'interrupted', 'replaced'] as const;
const states = ['completed', 'failed'] as const;
const requests = fc.array(
  fc.record({
    state: fc.constantFrom(...states),
    /** Of its turns, in their order; null for one that runs. */
    turns: fc.array(fc.option(fc.constantFrom(...outcomes)), { maxLength: 2 }),
  }),
  { maxLength: 40 },
);

function fill(made: { state: string; turns: (string | null)[] }[]): void {
  store.transact(() => {
    for (const name of ['gateway_requests', 'turns']) store.prepare(`DELETE FROM ${name}`).run();
    const turn = store.prepare<[string, string | null, string | null]>(
      `INSERT INTO turns (turn_id, origin, request_id, tool, state, started_at_utc, delivery_state, delivery_at_utc, outcome)
       VALUES (?, 'queue', ?, 'claude', 'ended', '', 'claimed', '', ?)`,
    );
    made.forEach(({ state, turns }, index) => {
      const requestId = `gwreq-${index}`;
      table.insert({ requestId, kind: 'submit_prompt', payloadJson: '{}', acceptedAtUtc: '', epoch: 1 });
      store
        .prepare<[string, string]>('UPDATE gateway_requests SET state = ? WHERE request_id = ?')
        .run(state, requestId);
      for (const [at, outcome] of turns.entries()) turn.run(`turn-${index}-${at}`, requestId, outcome);
      // One that came past the queue.
      turn.run(`turn-direct-${index}`, null, 'failed');
    });
  });
}

test('pages of one outcome have each request whose latest turn ended so, once and newest first', () => {
  fc.assert(
    fc.property(
      requests,
      fc.constantFrom(...outcomes),
      fc.option(fc.constantFrom(...states)),
      fc.integer({ min: 1, max: 20 }),
      (made, outcome, state, limit) => {
        fill(made);
        const found: string[] = [];
        let before = Number.MAX_SAFE_INTEGER;
        for (let more = true; more; ) {
          const page = table.lists.newestWithOutcome(outcome, state, before, limit);
          found.push(...page.rows.map((row) => row.request_id));
          before = page.rows.at(-1)?.rowid ?? 0;
          more = page.more;
        }
        const expected = made.flatMap((one, index) =>
          one.turns.at(-1) === outcome && (state === null || one.state === state) ? [`gwreq-${index}`] : [],
        );
        expect(found).toEqual(expected.reverse());
      },
    ),
  );
});
