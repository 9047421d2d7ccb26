import { address, check, expect, refusal } from './check';
import {
  Configuration,
  ErrorItemsFromJSON,
  ErrorTextFromJSON,
  instanceOfErrorItems,
  instanceOfErrorText,
  RequestsApi,
  ResponseError,
} from './client';

const requests = new RequestsApi(new Configuration({ basePath: address }));

async function refused(status: number, call: () => Promise<unknown>): Promise<object> {
  const error = await refusal(call);
  expect(error instanceof ResponseError && error.response.status === status, String(error));
  return error.response.json();
}

const id = await check('a prompt is accepted', async () => {
  const requestCreate = { kind: 'submit_prompt', payload: { prompt: 'Hello from fetch' } } as const;
  const accepted = await requests.submitRequest({ requestCreate, idempotencyKey: 'fetch-1' });
  return accepted.requestId;
});
await check('its record is completed and has the answer', async () => {
  const record = await requests.getRequest({ requestId: id ?? '', waitSeconds: 30 });
  expect(record.state === 'completed', record);
  expect(record.turn?.answer?.text.includes('Hello from fetch') === true, record.turn);
});
await check('an unknown request is a typed 404', async () => {
  const body = await refused(404, () => requests.getRequest({ requestId: 'gwreq-unknown' }));
  expect(instanceOfErrorText(body), body);
  expect(ErrorTextFromJSON(body).detail.includes('gwreq-unknown'), body);
});
await check('a broken rule is a typed 422', async () => {
  const body = await refused(422, () => requests.listRequests({ cursor: 'nonsense' }));
  expect(instanceOfErrorItems(body), body);
  expect(ErrorItemsFromJSON(body).detail[0]?.loc.join() === 'query,cursor', body);
});
