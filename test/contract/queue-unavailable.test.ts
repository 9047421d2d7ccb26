import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/foundation/open-database.js';
import { bundle, operations } from './support/bundle.js';
import { serve } from './support/served.js';

const served = serve();
const queued = operations.filter(({ path, method }) =>
  bundle.paths[path][method.toLowerCase()].responses['503']?.$ref?.endsWith('/QueueUnavailable'),
);

/** Every page behind the first two is garbage, and none of them is in the memory of the gateway. */
function damage(path: string): void {
  const database = openDatabase(path);
  // After a change by another process SQLite reads its pages again.
  database.exec('CREATE TABLE passing (x); DROP TABLE passing');
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  const file = openSync(path, 'r+');
  const length = statSync(path).size - 8192;
  writeSync(file, Buffer.alloc(length, 0xa5), 0, length, 8192);
  closeSync(file);
}

test('whatever needs a queue that cannot be used is 503, and says what is wrong with it', async () => {
  expect(queued.map(({ operationId }) => operationId)).toEqual(
    expect.arrayContaining(['getTurn', 'reconcile']),
  );
  damage(served.session.paths.queue);
  for (const { operationId, method, path, body } of queued) {
    const filled = path.replace(/\{(\w+)_id\}/g, (_whole, name) => `${name}-1`);
    const answer = await served.ask(method, filled, body ?? undefined);
    expect([operationId, answer.status, answer.body]).toEqual([
      operationId,
      503,
      { detail: 'The queue cannot be stored now: it is damaged.' },
    ]);
  }
  expect((await served.ask('GET', '/health')).status).toBe(200);
});
