// Compiled, never run: every line below a @ts-expect-error must not compile, all others must.
import {
  createGatewayClient,
  type GatewayClient,
  type Schemas,
  type SuccessBody,
  type ValidationItem,
} from '@houmao/sdk';

const client: GatewayClient = createGatewayClient({ baseUrl: 'http://127.0.0.1:1' });
const path = { request_id: 'gwreq-1' };

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const sure = <T extends true>(): T | undefined => undefined;

export async function byName(signal: AbortSignal | undefined) {
  await client.getHealth();
  await client.getHealth({ signal, timeoutMs: 10 });
  await client.listRequests({ query: { state: 'failed', limit: 5 } });
  await client.listRequests({ query: { limit: undefined, state: undefined } });
  const { next_cursor } = await client.listRequests();
  await client.listRequests({ query: { cursor: next_cursor } });
  const { data } = await client.getHealth().withResponse();
  sure<Equal<typeof data, SuccessBody<'getHealth'>>>();
  const accepted = await client.submitRequest({ body: { kind: 'interrupt', payload: {} } });
  sure<Equal<typeof accepted, Schemas['RequestAccepted']>>();
  sure<Equal<SuccessBody<'getRequest'>, Schemas['RequestRecord']>>();
  sure<Equal<SuccessBody<'disableMailNotifier'>, Schemas['NotifierStatus']>>();

  // The core reads the error envelope without knowing a contract; this one declares the same.
  sure<Schemas['ValidationItem'] extends ValidationItem ? true : false>();
  sure<ValidationItem extends Schemas['ValidationItem'] ? true : false>();

  // @ts-expect-error no such operation
  await client.getWeather();
  // @ts-expect-error a missing argument
  await client.getRequest();
  // @ts-expect-error a missing path
  await client.getRequest({ query: { wait_seconds: 1 } });
  // @ts-expect-error a missing path parameter
  await client.getRequest({ path: {} });
  // @ts-expect-error an unknown path parameter
  await client.getRequest({ path: { ...path, turn_id: 't' } });
  // @ts-expect-error a path parameter of another type
  await client.getRequest({ path: { request_id: 7 } });
  // @ts-expect-error an unknown query parameter
  await client.getRequest({ path, query: { wait: 1 } });
  // @ts-expect-error a state that does not exist
  await client.listRequests({ query: { state: 'waiting' } });
  // @ts-expect-error a missing body
  await client.submitRequest({});
  // @ts-expect-error a missing payload
  await client.submitRequest({ body: { kind: 'submit_prompt' } });
  // @ts-expect-error an unknown kind
  await client.submitRequest({ body: { kind: 'shout', payload: { prompt: 'hi' } } });
  // @ts-expect-error an unknown property, nested
  await client.submitRequest({ body: { kind: 'submit_prompt', payload: { prompt: 'hi', loud: true } } });
  // @ts-expect-error a body where there is none
  await client.getHealth({ body: {} });
  // @ts-expect-error a header that the operation does not have
  await client.getHealth({ headers: { 'Idempotency-Key': 'k' } });
  // @ts-expect-error an option that nothing reads
  await client.getHealth({ timeout: 10 });
  // @ts-expect-error a property that the answer does not have
  accepted.prompt;
}

export async function byPath() {
  const { data, error, response } = await client.GET('/v1/requests/{request_id}', { params: { path } });
  sure<Equal<typeof response, Response>>();
  if (data) sure<Equal<typeof data, Schemas['RequestRecord']>>();
  else sure<Equal<typeof error, Schemas['ErrorText'] | Schemas['ErrorItems']>>();

  // @ts-expect-error an unknown path
  await client.GET('/v1/weather');
  // @ts-expect-error a method that the path does not have
  await client.PUT('/v1/requests');
  // @ts-expect-error a missing path parameter
  await client.GET('/v1/requests/{request_id}', { params: { path: {} } });
  // @ts-expect-error a body of another operation
  await client.POST('/v1/requests', { body: { prompt: 'hi' } });
}

export async function prompts() {
  const answer = await client.prompt('hi', { chatSession: { mode: 'new' }, onUpdate: ({ state }) => state });
  sure<Equal<typeof answer, string>>();
  // @ts-expect-error a mode that does not exist
  await client.prompt('hi', { chatSession: { mode: 'newest' } });
  // @ts-expect-error a client without an address
  createGatewayClient({});
}
