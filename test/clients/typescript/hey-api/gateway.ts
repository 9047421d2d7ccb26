import { address, check, expect } from './check';
import { createClient } from './client/client';
import { getRequest, listRequests, submitRequest } from './client/sdk.gen';
import { zErrorItems, zErrorText, zRequestCreate, zRequestRecord } from './client/zod.gen';

const client = createClient({ baseUrl: address });

const id = await check('a prompt is accepted', async () => {
  const body = { kind: 'submit_prompt', payload: { prompt: 'Hello from hey-api' } } as const;
  expect(zRequestCreate.safeParse(body).success, body);
  expect(
    !zRequestCreate.safeParse({ ...body, kind: 'unheard_of' }).success,
    'an unknown kind is let through',
  );
  const { data, error } = await submitRequest({ client, body, headers: { 'Idempotency-Key': 'hey-1' } });
  expect(data !== undefined, error);
  return data.request_id;
});
await check('its record is completed and has the answer', async () => {
  const { data } = await getRequest({ client, path: { request_id: id ?? '' }, query: { wait_seconds: 30 } });
  const record = zRequestRecord.parse(data);
  expect(record.state === 'completed', record);
  expect(record.turn?.answer?.text.includes('Hello from hey-api') === true, record.turn);
});
await check('an unknown request is a typed 404', async () => {
  const { error, response } = await getRequest({ client, path: { request_id: 'gwreq-unknown' } });
  expect(response?.status === 404 && zErrorText.parse(error).detail.includes('gwreq-unknown'), error);
});
await check('a broken rule is a typed 422', async () => {
  const { error, response } = await listRequests({ client, query: { cursor: 'nonsense' } });
  expect(response?.status === 422, error);
  expect(zErrorItems.parse(error).detail[0]?.loc.join() === 'query,cursor', error);
});
