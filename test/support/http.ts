import { setTimeout as sleep } from 'node:timers/promises';

/** A JSON answer as a test looks at it. */
export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  body: any;
}

/** Sends one request; a body is sent as JSON unless it is a string. */
export async function call(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url + path, {
    method,
    headers: { ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(text === undefined ? {} : { body: text }),
  });
  const answer = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('text/plain') !== true;
  return {
    status: response.status,
    headers: response.headers,
    body: answer === '' ? null : isJson ? JSON.parse(answer) : answer,
  };
}

/** Queues a prompt and waits until it is final. */
export async function promptAndWait(
  url: string,
  prompt: string,
  payload: Record<string, unknown> = {},
): Promise<Answer['body']> {
  const accepted = await call(url, 'POST', '/v1/requests', {
    kind: 'submit_prompt',
    payload: { prompt, ...payload },
  });
  if (accepted.status !== 202) throw new Error(`not accepted: ${JSON.stringify(accepted.body)}`);
  return waitFinal(url, accepted.body.request_id);
}

/** Longer than any test waits for one request: only what never ends is given up. */
const patience = 600_000;

/** Waits until a request is final. */
export async function waitFinal(url: string, requestId: string): Promise<Answer['body']> {
  const deadline = performance.now() + patience;
  for (;;) {
    const { body } = await call(url, 'GET', `/v1/requests/${requestId}?wait_seconds=30`);
    if (body.state !== 'accepted' && body.state !== 'running') return body;
    if (performance.now() > deadline) throw new Error(`a request is still ${JSON.stringify(body)}`);
    // A gateway that stops answers at once.
    await sleep(20);
  }
}

/** Whether a surface answers there. */
export const isServed = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    () => true,
    () => false,
  );
