import { address, check, expect } from './check';
import { getRequest, listRequests, submitRequest } from './client/client';
import { getRequestResponse, submitRequestBody } from './client/zod';

// Its functions ask for bare paths; in a project, `output.baseUrl` of its configuration puts the address before them.
const ownFetch = fetch;
globalThis.fetch = (path, options) => ownFetch(`${address}${String(path)}`, options);

const id = await check('a prompt is accepted', async () => {
  const body = { kind: 'submit_prompt', payload: { prompt: 'Hello from orval' } } as const;
  expect(submitRequestBody.safeParse(body).success, body);
  expect(
    !submitRequestBody.safeParse({ ...body, kind: 'unheard_of' }).success,
    'an unknown kind is let through',
  );
  const answer = await submitRequest(body, { headers: { 'Idempotency-Key': 'orval-1' } });
  expect(answer.status === 202, answer);
  return answer.data.request_id;
});
await check('its record is completed and has the answer', async () => {
  const answer = await getRequest(id ?? '', { wait_seconds: 30 });
  const record = getRequestResponse.parse(answer.data);
  expect(record.state === 'completed', record);
  expect(record.turn?.answer?.text.includes('Hello from orval') === true, record.turn);
});
await check('an unknown request is a typed 404', async () => {
  const answer = await getRequest('gwreq-unknown');
  expect(answer.status === 404 && answer.data.detail.includes('gwreq-unknown'), answer);
});
await check('a broken rule is a typed 422', async () => {
  const answer = await listRequests({ cursor: 'nonsense' });
  expect(answer.status === 422 && answer.data.detail[0]?.loc.join() === 'query,cursor', answer);
});
