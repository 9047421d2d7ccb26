// The same rows and events in the same group commits as an accept makes, without HTTP and without a watch over the files;
// prints the result as JSON.
// usage: node limit-commits.mjs CLIENTS SECONDS
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventTable } from '../../dist/src/events/event-table.js';
import { systemClock } from '../../dist/src/foundation/clock.js';
import { newRequestId } from '../../dist/src/foundation/ids.js';
import { openQueueDatabase } from '../../dist/src/gateway/database.js';
import { Journal } from '../../dist/src/gateway/journal.js';
import { GatewayMemory } from '../../dist/src/gateway/memory.js';

const [clients, seconds] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'houmao-bench-'));
const database = openQueueDatabase(join(folder, 'queue.sqlite'));
const memory = new GatewayMemory(0, { epoch: 1, reconciledEpoch: 1, lastInstanceId: null });
const openDoor = { enter: () => undefined, leave: (answer) => answer(), locked: () => undefined };
const journal = new Journal(
  database,
  new EventTable(database),
  memory,
  systemClock,
  () => undefined,
  openDoor,
);
const payloadJson = JSON.stringify({
  chat_session: null,
  execution: null,
  prompt: 'p'.repeat(300),
  turn_id: null,
});

let count = 0;
const started = performance.now();
const deadline = started + seconds * 1000;
await Promise.all(Array.from({ length: clients }, client));
const elapsed = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ count, elapsed, cpuMilliseconds: (user + system) / 1000 }));
database.close();
rmSync(folder, { recursive: true, force: true });

async function client() {
  while (performance.now() < deadline) {
    await journal.write((acceptedAtUtc) =>
      journal.accept({
        requestId: newRequestId(new Date()),
        kind: 'submit_prompt',
        payloadJson,
        acceptedAtUtc,
        epoch: 1,
      }),
    );
    count += 1;
  }
}
