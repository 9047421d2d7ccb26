// The same commits as an accept makes, without HTTP: requests a second at a given number of them in flight.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventTable } from '../../dist/src/events/event-table.js';
import { systemClock } from '../../dist/src/foundation/clock.js';
import { newRequestId } from '../../dist/src/foundation/ids.js';
import { openQueueDatabase } from '../../dist/src/gateway/database.js';
import { Journal } from '../../dist/src/gateway/journal.js';
import { GatewayMemory } from '../../dist/src/gateway/memory.js';

export async function sqliteLimit(inFlight, seconds) {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-bench-'));
  const database = openQueueDatabase(join(folder, 'queue.sqlite'));
  const memory = new GatewayMemory(0, { epoch: 1, reconciledEpoch: 1, lastInstanceId: null });
  const journal = new Journal(database, new EventTable(database), memory, systemClock, () => undefined);
  const payloadJson = JSON.stringify({
    chat_session: null,
    execution: null,
    prompt: 'x'.repeat(200),
    turn_id: null,
  });
  const until = performance.now() + seconds * 1000;
  let done = 0;
  const lane = async () => {
    while (performance.now() < until) {
      await journal.write((atUtc) => {
        while (
          !journal.accept({
            requestId: newRequestId(new Date()),
            kind: 'submit_prompt',
            payloadJson,
            acceptedAtUtc: atUtc,
            epoch: 1,
          })
        ) {
          // Drawn again: 32 random bits clash now and then.
        }
      });
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  database.close();
  rmSync(folder, { recursive: true, force: true });
  return done / seconds;
}
