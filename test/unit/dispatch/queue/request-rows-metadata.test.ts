import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rowSchemas } from '../../../../src/dispatch/queue/queue-tables.js';
import { RequestTable } from '../../../../src/dispatch/queue/request-table.js';
import { WatchedDatabase } from '../../../../src/storage/watched-database.js';
import { MetadataTable } from '../../../../src/turn/prompt-metadata.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const folder = temporaryFolder();
let serial = 0;
let store: WatchedDatabase;
let table: RequestTable;
let metadata: MetadataTable;
beforeEach(() => {
  serial += 1;
  const path = join(folder, String(serial), 'queue.sqlite');
  store = new WatchedDatabase({ path, thing: 'queue', program: 'gateway' }, rowSchemas, () => undefined);
  table = new RequestTable(store);
  metadata = new MetadataTable(store);
});
afterEach(() => store.close());

const outcomes = ['completed', 'failed'] as const;
const states = ['completed', 'failed', 'accepted'] as const;
const keys = ['a', 'b'] as const;
const values = ['', '1', '2'] as const;
const requests = fc.array(
  fc.record({
    state: fc.constantFrom(...states),
    outcome: fc.option(fc.constantFrom(...outcomes)),
    labels: fc.dictionary(fc.constantFrom(...keys), fc.constantFrom(...values)),
  }),
  { maxLength: 40 },
);
const label = fc.tuple(fc.constantFrom(...keys), fc.constantFrom(...values));
type Made = typeof requests extends fc.Arbitrary<infer T> ? T : never;

const fill = (made: Made): void =>
  store.transact(() => {
    for (const name of ['gateway_requests', 'turns', 'prompt_metadata'])
      store.prepare(`DELETE FROM ${name}`).run();
    made.forEach(({ state, outcome, labels }, index) => {
      const requestId = `gwreq-${index}`;
      table.insert({ requestId, kind: 'submit_prompt', payloadJson: '{}', acceptedAtUtc: '', epoch: 1 });
      store
        .prepare<[string, string]>('UPDATE gateway_requests SET state = ? WHERE request_id = ?')
        .run(state, requestId);
      store
        .prepare<[string, string, string | null]>(
          `INSERT INTO turns (turn_id, origin, request_id, tool, state, started_at_utc, delivery_state, delivery_at_utc, outcome)
           VALUES (?, 'queue', ?, 'claude', 'ended', '', 'claimed', '', ?)`,
        )
        .run(`turn-${index}`, requestId, outcome);
      metadata.insert(requestId, labels);
      // A prompt that came past the queue.
      metadata.insert(`turn-direct-${index}`, labels);
    });
  });

test('pages of labels have each request that has all of them, once and newest first', () => {
  fc.assert(
    fc.property(
      requests,
      fc.tuple(label, fc.array(label, { maxLength: 2 })),
      fc.option(fc.constantFrom(...states)),
      fc.option(fc.constantFrom(...outcomes)),
      fc.integer({ min: 1, max: 20 }),
      (made, [first, others], state, outcome, limit) => {
        fill(made);
        const found: string[] = [];
        let before = Number.MAX_SAFE_INTEGER;
        for (let more = true; more; ) {
          const page = table.lists.newestWithMetadata([first, ...others], { state, outcome }, before, limit);
          found.push(...page.rows.map((row) => row.request_id));
          before = page.rows.at(-1)?.rowid ?? 0;
          more = page.more;
        }
        const expected = made.flatMap((one, index) =>
          [first, ...others].every(([key, value]) => one.labels[key] === value) &&
          (state === null || one.state === state) &&
          (outcome === null || one.outcome === outcome)
            ? [`gwreq-${index}`]
            : [],
        );
        expect(found).toEqual(expected.reverse());
      },
    ),
  );
});
