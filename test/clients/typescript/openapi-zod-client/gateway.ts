import { isErrorFromAlias } from '@zodios/core';
import { address, check, expect, refusal } from './check';
import { api, createApiClient } from './client';

const gateway = createApiClient(address);
// By itself it refuses what breaks a rule before it asks.
const unchecked = createApiClient(address, { validate: 'response' });

const id = await check('a prompt is accepted', async () => {
  const body = { kind: 'submit_prompt', payload: { prompt: 'Hello from zodios' } } as const;
  const unheard = refusal(() => gateway.submitRequest({ ...body, kind: 'unheard_of' } as never));
  expect(String(await unheard).includes('Invalid'), 'an unknown kind is let through');
  const accepted = await gateway.submitRequest(body, { headers: { 'Idempotency-Key': 'zodios-1' } });
  return accepted.request_id;
});
await check('its record is completed and has the answer', async () => {
  const record = await gateway.getRequest({
    params: { request_id: id ?? '' },
    queries: { wait_seconds: 30 },
  });
  expect(record.state === 'completed', record);
  expect(record.turn?.answer?.text.includes('Hello from zodios') === true, record.turn);
});
await check('an unknown request is a typed 404', async () => {
  const error = await refusal(() => gateway.getRequest({ params: { request_id: 'gwreq-unknown' } }));
  expect(isErrorFromAlias(api.api, 'getRequest', error) && error.response.status === 404, String(error));
  expect(String(error.response.data.detail).includes('gwreq-unknown'), error.response.data);
});
await check('a broken rule is a typed 422', async () => {
  const error = await refusal(() => unchecked.listRequests({ queries: { cursor: 'nonsense' } }));
  expect(isErrorFromAlias(api.api, 'listRequests', error) && error.response.status === 422, String(error));
  const [item] = error.response.data.detail;
  expect(typeof item === 'object' && item.loc.join() === 'query,cursor', error.response.data);
});
