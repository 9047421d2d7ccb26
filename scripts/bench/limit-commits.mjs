// The same rows and events in the same group commits as an accept makes, without HTTP and without a watch over the files;
// prints the result as JSON.
// usage: node limit-commits.mjs CLIENTS SECONDS
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RequestJournal } from '../../dist/src/dispatch/queue/request-journal.js';
import { eventStoreSchemas } from '../../dist/src/events/event-store.js';
import { EventTable } from '../../dist/src/events/event-table.js';
import { Journal } from '../../dist/src/events/journal.js';
import { systemClock } from '../../dist/src/foundation/clock.js';
import { requestIds } from '../../dist/src/foundation/ids.js';
import { queueSchemas } from '../../dist/src/gateway/queue-schemas.js';
import { queueStore } from '../../dist/src/session/session-paths.js';
import { WatchedDatabase } from '../../dist/src/storage/watched-database.js';

const [clients, seconds] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'houmao-bench-'));
const store = new WatchedDatabase(
  queueStore({ queue: join(folder, 'queue.sqlite') }),
  [...eventStoreSchemas, ...queueSchemas],
  () => undefined,
);
const guard = { enter: () => undefined, leave: (answer) => answer(), locked: () => undefined };
const journal = new Journal({
  store,
  events: new EventTable(store),
  clock: systemClock,
  guard,
  committed: () => undefined,
});
const queue = new RequestJournal(store, journal);
const payloadJson = JSON.stringify({
  chat_session: null,
  execution: null,
  prompt: 'p'.repeat(300),
  turn_id: null,
});

const newId = requestIds();
let count = 0;
const started = performance.now();
const deadline = started + seconds * 1000;
await Promise.all(Array.from({ length: clients }, client));
const elapsed = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ count, elapsed, cpuMilliseconds: (user + system) / 1000 }));
store.close();
rmSync(folder, { recursive: true, force: true });

async function client() {
  while (performance.now() < deadline) {
    await journal.write((acceptedAtUtc) =>
      queue.accept({
        requestId: newId(new Date()),
        kind: 'submit_prompt',
        payloadJson,
        acceptedAtUtc,
        epoch: 1,
      }),
    );
    count += 1;
  }
}
