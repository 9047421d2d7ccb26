import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchOn } from '../../support/managed-agents.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { bundleOf } from '../support/bundle.js';

const tmux = ownTmux();
const folder = temporaryFolder(tmux);
let server: ManagedServer;
beforeAll(async () => {
  server = await openManagedServer(folder, tmux);
  await launchOn(server.host, folder, 'screen', { terminal: true, tmux: true });
  await launchOn(server.host, folder, 'plain');
  await server.server.directory.changed();
});
afterAll(async () => {
  await server.close();
  expect(server.faults).toEqual([]);
});

const ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  server.ask(method, `/houmao/agents/${path}`, body, headers);
const reads = ['', '/events', '/artifacts/stdout', '/artifacts/stderr'];

describe('an agent in a terminal', () => {
  const detail = (instead: string) =>
    expect.stringMatching(
      new RegExp(
        `^Agent \`[^\`]*screen[^\`]*\` runs in a terminal; this operation is for headless agents\\. ${instead}\\.$`,
      ),
    );

  test.each(reads)('has no turns of its own to read: %s', async (rest) => {
    expect(await ask('GET', `screen/turns/turn-1${rest}`)).toMatchObject({
      status: 400,
      body: { detail: detail('Its turns are at GET …/turns/\\{turn_id\\}/record') },
    });
  });

  test.each([
    ['/turns', { prompt: 'x' }, 'Prompt'],
    ['/interrupt', undefined, 'Interrupt'],
  ])('takes no POST %s', async (path, body, verb) => {
    expect(await ask('POST', `screen${path}`, body)).toMatchObject({
      status: 400,
      body: { detail: detail(`${verb} it with POST …/requests`) },
    });
  });

  test('takes no model with a prompt', async () => {
    const body = { request_kind: 'submit_prompt', prompt: 'x', execution: { model: { name: 'opus' } } };
    expect(await ask('POST', 'screen/requests', body)).toMatchObject({
      status: 422,
      body: { detail: 'The model of an agent in a terminal cannot be chosen per prompt.' },
    });
  });
});

describe('a turn that is not there', () => {
  test.each([...reads, '/record', '/stream'])('is 404 with both names: %s', async (rest) => {
    const answer = await ask('GET', `plain/turns/turn-none${rest}`);
    expect(answer.status).toBe(404);
    expect(answer.body.detail).toMatch(/^No turn `turn-none` of agent `plain`\.$/);
  });
});

describe.each(['plain', 'screen'])('a prompt that %s took', (agent) => {
  /** A headless agent that still works refuses it. */
  async function submitted() {
    let answer = await ask('GET', agent);
    await expect
      .poll(async () => {
        answer = await ask('POST', `${agent}/requests`, { request_kind: 'submit_prompt', prompt: 'hello' });
        return answer.status;
      })
      .toBe(200);
    return answer;
  }

  test('is not found by its name for logs; the 404 says how to ask', async () => {
    const { body } = await submitted();
    const answer = await ask('GET', `${agent}/turns/${body.request_id}/record`);
    expect([answer.status, answer.body.detail]).toEqual([404, expect.stringContaining('X-Houmao-Turn-Id')]);
  });

  test('is linked by a header that it has, to the operation that knows turns of either transport', async () => {
    const { post } = bundleOf('managed-agent').paths['/houmao/agents/{agent_ref}/requests'];
    const { operationId, parameters } = post.responses['200'].links.turn;
    expect(operationId).toBe('getTurnRecord');
    const turnId = (await submitted()).headers.get(parameters.turn_id.replace('$response.header.', ''));
    const { status, body } = await ask('GET', `${agent}/turns/${turnId}/record`);
    expect([status, body.turn_id]).toEqual([200, turnId]);
  });
});

describe('what the agent wrote', () => {
  test('is given in parts; a part that is not there is 416 and says how long it is', async () => {
    const { body } = await ask('POST', 'plain/turns', { prompt: '[[stderr=1]] hello' });
    await ask('GET', `plain/turns/${body.turn_id}?wait_seconds=30`);
    const path = `${server.url}/houmao/agents/plain/turns/${body.turn_id}/artifacts`;
    const part = async (file: string, range: string) => {
      const answer = await fetch(`${path}/${file}`, { headers: { Range: range } });
      return [answer.status, answer.headers.get('content-range'), await answer.text()] as const;
    };
    const whole = await fetch(`${path}/stdout`);
    const text = await whole.text();
    expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const size = Buffer.byteLength(text);
    expect(await part('stdout', 'bytes=0-7')).toEqual([206, `bytes 0-7/${size}`, text.slice(0, 8)]);
    expect(await part('stdout', `bytes=${size}-`)).toEqual([
      416,
      `bytes */${size}`,
      JSON.stringify({ detail: `The file has ${size} bytes; bytes=${size}- is beyond them.` }),
    ]);
    expect((await part('stderr', 'bytes=99999-'))[0]).toBe(416);
    const errors = await fetch(`${path}/stderr`);
    expect(errors.status).toBe(200);
    const [status, , reported] = await part('stderr', 'bytes=0-7');
    expect([status, reported]).toEqual([206, (await errors.text()).slice(0, 8)]);
  });
});
