import { expect, test } from 'vitest';
import { openDatabase } from '../../src/foundation/open-database.js';
import { serve } from './support/served.js';

const served = serve();

/** A request that failed with this code, in a queue that another release wrote. */
async function failedWith(code: string | null): Promise<string> {
  const { request_id } = (await served.prompt('x')).body;
  await served.final(request_id);
  const database = openDatabase(served.session.paths.queue);
  try {
    database
      .prepare(
        `UPDATE gateway_requests SET state = 'failed', error_detail = 'It broke.' WHERE request_id = ?`,
      )
      .run(request_id);
    database
      .prepare(
        `UPDATE turns SET outcome = 'failed', error_code = ?, error_detail = 'It broke.' WHERE request_id = ?`,
      )
      .run(code, request_id);
    if (code !== null)
      database.prepare('INSERT INTO request_errors (request_id, code) VALUES (?, ?)').run(request_id, code);
  } finally {
    database.close();
  }
  return request_id;
}

// Answers that break the contract are a 500 here.
test.each([
  ['a code of this release', 'api_error', { code: 'api_error', detail: 'It broke.' }],
  ['the earlier name of one', 'peer_rubbish', { code: 'peer_invalid_answer', detail: 'It broke.' }],
  [
    'a code of a later release',
    'tired',
    { code: 'failed', detail: 'It broke. (stored with the code "tired", which this release does not know)' },
  ],
  ['no code', null, { code: 'failed', detail: 'It broke.' }],
])('a row with %s is served', async (_what, code, error) => {
  const id = await failedWith(code);
  const { status, body } = await served.ask('GET', `/v1/requests/${id}`);
  expect([status, body.error, body.turn.error]).toEqual([200, error, error]);
  const list = await served.ask('GET', '/v1/requests?state=failed&limit=1');
  expect([list.status, list.body.requests[0].error]).toEqual([200, error]);
  expect((await served.ask('GET', `/v1/turns/${body.turn.turn_id}`)).body.error).toEqual(error);
});
