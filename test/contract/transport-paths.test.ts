import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { acceptedIn } from './support/events.js';
import { type RawOptions, raw, request } from './support/raw-http.js';
import { serve } from './support/served.js';

const served = serve();
const send = (text: string, options?: RawOptions) => raw(served.gateway.port, text, options);

describe('a method that a path does not have', () => {
  // A path of one method, of several, and with a parameter. `transport-order` asks each path once.
  test.each([
    ['/v1/control/prompt', ['POST']],
    ['/v1/mail-notifier', ['GET', 'PUT', 'DELETE']],
    ['/v1/reminders/{reminder_id}', ['GET', 'PUT', 'DELETE']],
  ])('on %s is 405 and names %j', async (template, methods) => {
    const path = template.replace(/\{[^}]+\}/g, 'x');
    const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort();
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      if (methods.includes(method)) continue;
      const answer = await send(request(`${method} ${path}`));
      expect([method, answer.status, answer.json.detail]).toEqual([method, 405, 'Method Not Allowed']);
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(allowed);
    }
  });

  test('is 405 also with a body, of whatever type and size', async () => {
    const large = request('POST /health', { 'Content-Type': 'text/plain', 'Content-Length': '9999999' });
    expect((await send(large)).status).toBe(405);
    expect((await send(request('PATCH /v1/requests', {}, '{'))).status).toBe(405);
  });
});

describe('a query with a name that has no sense', () => {
  test.each([
    '[]',
    '[]=1',
    '%5B%5D=1',
    'limit[]=1',
    'limit[a]=1',
    '__proto__[x]=1',
    '=',
    '=1',
    '__proto__=1',
  ])('?%s is 422, as an unknown parameter or a wrong value', async (query) => {
    // Brackets were once taken as if nothing had been sent, and an empty name was no 422.
    const { status, json } = await send(request(`GET /v1/requests?${query}`));
    expect([status, json.detail[0].loc[0]]).toEqual([422, 'query']);
  });
});

describe('HEAD', () => {
  test('answers like GET, without the body', async () => {
    for (const path of [
      '/health',
      '/v1/requests',
      '/openapi.json',
      '/v1/requests/unknown',
      '/v1/status?x=1',
    ]) {
      const get = await send(request(`GET ${path}`));
      const head = await send(request(`HEAD ${path}`), { head: true });
      expect([path, head.status]).toEqual([path, get.status]);
      expect(head.text).toBe('');
      for (const name of ['content-type', 'content-length'])
        expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
  });

  test('of a path without GET is 405', async () => {
    const { status, headers } = await send(request('HEAD /v1/control/prompt'), { head: true });
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('an unknown path', () => {
  test.each([
    '/v1',
    '/v1/',
    '/health/',
    '/Health',
    '/HEALTH',
    '//health',
    '/./health',
    '/v1/../health',
    '/%68ealth',
    '/health%2f',
    '/health;x=1',
    '/V1/requests',
    '/v1/Requests',
    '/v1/requests/',
    '/v1//requests',
    '/v1/requests/a/b',
    '/v1/memory',
    '/v2/status',
    '/.env',
    '/%zz',
    '/docs/../v1/status',
    '/docs/nowhere',
    '/docs/package.json',
    '/docs/swagger-ui-bundle.js.map',
    '/docs/%2e%2e/package.json',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/v1/%2e%2e/health',
    '/health%00',
    '/health%00.json',
    '/%c0%ae%c0%ae/health',
    '/v1%2frequests',
    '/v1%5crequests',
    '/%2fhealth',
    '/v1/requests%20',
    '/v1/requests%0d%0aX-Injected:%20yes',
    '/he%61lth',
    '/docs/%c0%ae%c0%ae/package.json',
    '/docs/..%2f..%2fpackage.json',
  ])('%s is 404', async (path) => {
    for (const method of ['GET', 'POST']) {
      const answer = await send(request(`${method} ${path}`));
      expect([method, answer.status, answer.json]).toEqual([method, 404, { detail: 'Not Found' }]);
    }
  });

  test('is 404 also with a body, of whatever type and size', async () => {
    const large = request('POST /nowhere', { 'Content-Type': 'text/plain', 'Content-Length': '9999999' });
    expect((await send(large)).status).toBe(404);
  });
});

describe('an odd target', () => {
  const body = '{"kind":"submit_prompt","payload":{"prompt":"x","unknown":1}}';
  const json = { 'Content-Type': 'application/json' };

  test.each([
    ['http://127.0.0.1/v1/requests', 404],
    ['http://evil.example/v1/requests', 404],
    ['HTTP://127.0.0.1/v1/requests', 404],
    ['/v1/./requests', 404],
    ['/v1/%72equests', 404],
    ['/v1/requests%3F', 404],
    ['/v1/requests#x', 404],
    ['//127.0.0.1/v1/requests', 404],
    ['\\v1\\requests', 400],
    ['*', 404],
  ])('%s never reaches an operation unchecked: %i', async (target, refused) => {
    const before = acceptedIn(served.session.paths);
    const { status } = await send(request(`POST ${target}`, json, body));
    expect(status).toBe(refused);
    expect(acceptedIn(served.session.paths)).toEqual(before);
  });

  test('in absolute form is no path of ours', async () => {
    expect((await send(request('GET http://127.0.0.1/health'))).status).toBe(404);
  });

  test.each(['%zz', '%', '%e0%a4', '%ff'])('with %s in a parameter is 400', async (text) => {
    const { status, json: answer } = await send(request(`GET /v1/requests/${text}`));
    expect([status, answer]).toEqual([400, { detail: 'Bad Request' }]);
  });

  test.each([
    '%00',
    'a%00b',
    '..',
    '%2e%2e',
    '%2e%2e%2f%2e%2e%2fmanifest.json',
    '..%5c..',
    '%1b%5b2J',
    '__proto__',
  ])('with %s for an id finds nothing, and shows nothing', async (text) => {
    for (const path of ['requests', 'turns', 'reminders']) {
      const { status, json: answer } = await send(request(`GET /v1/${path}/${text}`));
      expect([path, status, typeof answer.detail]).toEqual([path, 404, 'string']);
    }
  });

  test('with an overlong or surrogate encoding in a parameter is 400', async () => {
    for (const text of ['%c0%ae%c0%ae', '%e0%80%af', '%ed%a0%80', '%f4%90%80%80']) {
      const { status } = await send(request(`GET /v1/requests/${text}`));
      expect([text, status]).toEqual([text, 400]);
    }
  });

  test('decodes a parameter once', async () => {
    const { status, json: answer } = await send(request('GET /v1/requests/a%2Fb%252Fc'));
    expect([status, answer.detail]).toEqual([404, 'No request `a/b%2Fc` on this gateway.']);
  });

  test('with a CONNECT is refused in the envelope', async () => {
    const { status, closed } = await send(request('CONNECT 127.0.0.1:80'));
    expect([status, closed]).toEqual([400, true]);
  });

  test('with an unknown method is refused in the envelope', async () => {
    expect((await send(request('BREW /health'))).status).toBe(400);
  });
});

describe('a method in disguise', () => {
  test.each([
    ['X-HTTP-Method-Override', 'DELETE'],
    ['X-HTTP-Method', 'DELETE'],
    ['X-Method-Override', 'PUT'],
  ])('(%s: %s) is the method it came with', async (header, method) => {
    const made = await served.ask('POST', '/v1/reminders', {
      reminders: [{ mode: 'one_off', title: 't', prompt: 'p', ranking: 1, start_after_seconds: 1e6 }],
    });
    const path = `/v1/reminders/${made.body.reminders[0].reminder_id}`;
    expect((await send(request(`GET ${path}`, { [header]: method }))).status).toBe(200);
    expect((await send(request(`POST ${path}`, { [header]: method }))).status).toBe(405);
    const asked = await send(request(`GET ${path}?_method=${method}`));
    expect([asked.status, asked.json.detail[0].loc]).toEqual([422, ['query', '_method']]);
    expect((await send(request(`GET ${path}`))).status).toBe(200);
  });
});

describe('the docs', () => {
  test('are pages and files, and nothing but those', async () => {
    const page = await fetch(`${served.gateway.url}/docs/`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    for (const method of ['GET', 'HEAD']) {
      const led = await fetch(`${served.gateway.url}/`, {
        method,
        redirect: 'manual',
        headers: { accept: 'text/html' },
      });
      expect([method, led.status, led.headers.get('location')]).toEqual([method, 302, '/docs/']);
    }
    expect((await send(request('POST /'))).status).toBe(404);
    expect((await send(request('GET /', { Host: 'evil.example' }))).status).toBe(421);
    const moved = await fetch(`${served.gateway.url}/docs`, { redirect: 'manual' });
    expect([moved.status, moved.headers.get('location'), await moved.text()]).toEqual([301, '/docs/', '']);
    for (const [, file] of (await page.text()).matchAll(/(?:src|href)=["']\.\/([^"']+)["']/g)) {
      expect([file, (await fetch(`${served.gateway.url}/docs/${file}`)).status]).toEqual([file, 200]);
    }
    const range = await fetch(`${served.gateway.url}/docs/swagger-ui.css`, {
      headers: { range: 'bytes=99999999-' },
    });
    expect([range.status, Object.keys(JSON.parse(await range.text()))]).toEqual([416, ['detail']]);
    for (const path of ['/docs/', '/openapi.json'])
      expect((await send(request(`POST ${path}`))).status).toBe(404);
  });

  test('hold the contract as it was generated', async () => {
    const document = await fetch(`${served.gateway.url}/openapi.json`);
    expect(await document.json()).toMatchObject({ openapi: '3.1.0', paths: { '/v1/requests': {} } });
  });
});

describe('the indexes of the contract', () => {
  const read = async (path: string, accept?: string) => {
    const answer = await fetch(`${served.gateway.url}${path}`, { headers: { ...(accept && { accept }) } });
    return {
      status: answer.status,
      type: answer.headers.get('content-type'),
      link: answer.headers.get('link'),
      text: await answer.text(),
    };
  };

  test('stand at / and /docs/ for a program that takes Markdown, and at /llms.txt for everyone', async () => {
    const index = await read('/llms.txt');
    expect(index).toMatchObject({ status: 200, type: 'text/markdown; charset=utf-8' });
    expect(index.text).toContain('- /v1/requests: POST');
    // curl asks for anything.
    expect((await read('/', '*/*')).text).toBe(index.text);
    expect((await read('/docs/', 'text/markdown')).text).toBe(index.text);
    expect((await read('/docs/', '*/*')).type).toBe('text/html; charset=utf-8');
  });

  test('lead to each tag, as OpenAPI and as text, and to errors and events', async () => {
    const { text } = await read('/llms.txt');
    const paths = [
      ...[...text.matchAll(/\/docs\/[\w-]+\.md|\/openapi(?:-3\.0)?\.json/g)].map(([path]) => path),
      ...[...text.matchAll(/^## ([\w-]+\.md)$/gm)].map(([, file]) => `/openapi/${file}`),
    ];
    expect(paths.length).toBeGreaterThan(10);
    for (const path of paths) {
      const { status, type } = await read(path);
      expect([path, status, type]).toEqual([
        path,
        200,
        `${path.endsWith('.md') ? 'text/markdown' : 'application/json'}; charset=utf-8`,
      ]);
      if (!path.startsWith('/openapi/')) continue;
      expect(JSON.parse((await read(path.replace('.md', '.json'))).text)).toMatchObject({ openapi: '3.1.0' });
    }
  });

  test('are OpenAPI or text as a caller accepts it, where the path has no ending', async () => {
    for (const [accept, ending] of [
      ['*/*', 'json'],
      ['text/markdown', 'md'],
      ['application/json', 'json'],
    ] as const)
      expect(await read('/openapi/requests', accept)).toEqual(await read(`/openapi/requests.${ending}`));
  });

  test('lead to the workflows of the surface, each with the address at which it was asked for', async () => {
    const paths = [...(await read('/llms.txt')).text.matchAll(/\/openapi\/workflows\/[\w-]+\.yaml/g)];
    expect(paths).toHaveLength(4);
    for (const [path] of paths) {
      const { status, type, text } = await read(path);
      expect([path, status, type]).toEqual([path, 200, 'application/yaml; charset=utf-8']);
      const { url } = served.gateway;
      expect(parse(text).sourceDescriptions).toEqual([
        { name: 'gateway', type: 'openapi', url: `${url}/openapi.json`, 'x-serverUrl': url },
      ]);
    }
    for (const name of ['launch-to-stop', '..%2Fgateway', 'nothing'])
      expect((await read(`/openapi/workflows/${name}.yaml`)).status).toBe(404);
  });

  test('are named by the answer to a path that there is not', async () => {
    for (const path of ['/v1/nothing', '/openapi/nothing.json', '/openapi/nothing.md']) {
      const { status, text, link } = await read(path);
      expect([status, JSON.parse(text)]).toEqual([404, { detail: 'Not Found' }]);
      expect(link).toContain('</llms.txt>; rel="index"');
      expect(link).toContain('</openapi.json>; rel="service-desc"');
    }
  });
});
