import { describe, expect, test } from 'vitest';
import { behindServer } from './support/behind-server.js';
import { bundleOf, type Part } from './support/bundle.js';
import { raw, request } from './support/raw-http.js';
import { serve } from './support/served.js';

const codeOf = ({ headers }: { headers: Headers }): string | null => headers.get('x-houmao-error-code');

describe.each(['gateway', 'managed-agent'])('the contract of %s', (surface) => {
  test('has codes for every refusal of every operation, each of them a word', () => {
    const document = bundleOf(surface);
    const lacking: string[] = [];
    for (const operations of Object.values<Part>(document.paths))
      for (const { operationId, responses } of Object.values<Part>(operations))
        for (const [status, given] of Object.entries<Part>(responses)) {
          if (Number(status) < 400) continue;
          const response = given.$ref ? document.components.responses[given.$ref.split('/').at(-1)] : given;
          const header = response.headers?.['X-Houmao-Error-Code'];
          const words = header?.schema.enum ?? [];
          const good =
            header?.required && words.length > 0 && words.every((word: string) => /^[a-z_]+$/.test(word));
          if (!good || new Set(words).size !== words.length) lacking.push(`${operationId} ${status}`);
        }
    expect(lacking).toEqual([]);
  });
});

describe('a refusal of a gateway says its code', () => {
  const served = serve();
  const prompt = { kind: 'submit_prompt', payload: { prompt: 'hello' } };

  test.each([
    ['GET', '/v1/requests/gwreq-unknown', undefined, 404, 'unknown_request'],
    ['GET', '/v1/turns/turn-unknown', undefined, 404, 'unknown_turn'],
    ['GET', '/v1/reminders/greminder-unknown', undefined, 404, 'unknown_reminder'],
    ['GET', '/v1/events?after=999', undefined, 410, 'no_such_event'],
    ['GET', '/v1/requests?limit=0', undefined, 422, 'validation_failed'],
    ['GET', '/v1/requests?cursor=x', undefined, 422, 'validation_failed'],
    ['POST', '/v1/requests', { ...prompt, payload: { prompt: ' ' } }, 422, 'validation_failed'],
    [
      'POST',
      '/v1/requests',
      { ...prompt, payload: { prompt: 'x', execution: { model: { reasoning: { level: 0 } } } } },
      422,
      'request_refused',
    ],
    [
      'POST',
      '/v1/control/prompt',
      { prompt: 'x', chat_session: { mode: 'current' } },
      409,
      'missing_current_chat_session',
    ],
    ['POST', '/v1/control/send-keys', { sequence: 'x' }, 422, 'keys_refused'],
    ['GET', '/v1/control/tui/state', undefined, 422, 'no_terminal'],
    ['GET', '/v1/mail/status', undefined, 422, 'no_mailbox'],
    ['GET', '/nowhere', undefined, 404, 'not_found'],
    ['DELETE', '/v1/status', undefined, 405, 'method_not_allowed'],
  ])('%s %s', async (method, path, body, status, code) => {
    const answer = await served.ask(method, path, body);
    expect([answer.status, codeOf(answer)]).toEqual([status, code]);
  });

  test('also before anything of it is read', async () => {
    const { port } = new URL(served.gateway.url);
    const answer = await raw(Number(port), request('GET /health', { Host: 'evil.example' }));
    expect(answer.headers.get('x-houmao-error-code')).toBe('host_refused');
    const broken = await raw(Number(port), 'GET /health HTTP/1.1\r\nbroken\r\n\r\n');
    expect(broken.headers.get('x-houmao-error-code')).toBe('bad_request');
  });
});

describe('a refusal of the server says its code, and the gateway’s where that refused', () => {
  const behind = behindServer();

  test.each([
    ['GET', '/turns/turn-unknown', undefined, 404, 'unknown_turn'],
    ['GET', '/gateway/requests/gwreq-unknown', undefined, 404, 'unknown_request'],
    ['POST', '/gateway/control/send-keys', { sequence: 'x' }, 422, 'keys_refused'],
    ['POST', '/requests', { request_kind: 'submit_prompt', prompt: ' ' }, 422, 'validation_failed'],
    ['GET', '/mail/status', undefined, 503, 'no_mailbox'],
    ['GET', '/mail/resolve-live', undefined, 503, 'no_mailbox'],
  ])('%s %s', async (method, path, body, status, code) => {
    const answer = await behind.agent(method, path, body);
    expect([answer.status, codeOf(answer)]).toEqual([status, code]);
  });

  test('also where the gateway is gone', async () => {
    await behind.gateway?.stop();
    const gone = await behind.agent('GET', '/gateway/control/queue');
    expect([gone.status, codeOf(gone)]).toEqual([503, 'gateway_unreachable']);
    await behind.startGateway();
  });

  test('of an agent that nobody knows', async () => {
    expect(codeOf(await behind.ask('GET', '/houmao/agents/nobody/state'))).toBe('unknown_agent');
  });
});
