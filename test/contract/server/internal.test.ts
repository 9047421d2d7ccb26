import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { takenPrompts } from '../../e2e/recovery/evidence.js';
import { idOf, nameOf } from '../../e2e/server/turns-of.js';
import { launchOn } from '../../support/managed-agents.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { ask } from '../support/ask.js';
import { behindServer } from '../support/behind-server.js';

// The calls of gateways to the server that runs their turns, sent by a caller that is no gateway.

const internal = (agent: string, operation: string) =>
  `/houmao/agents/${agent}/gateway/internal/headless-${operation}`;

describe('an agent without a gateway', () => {
  const behind = behindServer({ gateway: false });
  const here = (method: string, operation: string, body?: unknown) =>
    behind.ask(method, internal(behind.name, operation), body);

  /** It names the files of the turn. */
  const turn = async (turnId: string) =>
    (await behind.server.ask('GET', `/houmao/agents/${behind.name}/turns/${turnId}`)).body;

  test('runs a whole turn of that name, which is on record when the answer comes', async () => {
    expect(await here('POST', 'prompt', { prompt: 'hello', turn_id: 'turn-handed' })).toMatchObject({
      status: 200,
      body: { success: true },
    });
    expect(await turn('turn-handed')).toMatchObject({ status: 'completed' });
    expect((await here('POST', 'prompt', { prompt: 'again', turn_id: 'turn-handed' })).status).toBe(200);
    expect(
      takenPrompts(behind.session.ledger).filter(({ turn_id }) => turn_id === 'turn-handed'),
    ).toHaveLength(1);
  });

  test('is looked at as the server sees it', async () => {
    const detail = await here('GET', 'detail');
    expect(detail).toMatchObject({
      status: 200,
      body: {
        tracked_agent_id: idOf(behind.session),
        detail: { transport: 'headless', runtime_resumable: true },
      },
    });
  });

  test('is interrupted, and idle there is nothing to interrupt', async () => {
    const running = here('POST', 'prompt', { prompt: '[[slow=60000]] long', turn_id: 'turn-long' });
    await expect
      .poll(() => takenPrompts(behind.session.ledger).map(({ turn_id }) => turn_id))
      .toContain('turn-long');
    expect(await here('POST', 'interrupt')).toMatchObject({
      status: 200,
      body: { success: true, turn_id: 'turn-long' },
    });
    expect((await running).status).toBe(200);
    expect(await turn('turn-long')).toMatchObject({ status: 'interrupted' });
    expect(await here('POST', 'interrupt')).toMatchObject({
      status: 200,
      body: { turn_id: null, detail: 'There is nothing to interrupt.' },
    });
  });
});

describe('an agent whose own gateway runs its turns', () => {
  const behind = behindServer();

  test('is given no prompt past it: 409 names the way that leads there', async () => {
    const answer = await behind.ask('POST', internal(behind.name, 'prompt'), { prompt: 'hello' });
    const id = idOf(behind.session);
    expect(answer).toMatchObject({
      status: 409,
      body: {
        detail: `Another program runs the turns of agent \`${nameOf(behind.session)}\`. Prompt or interrupt it with POST /houmao/agents/${id}/requests.`,
      },
    });
    expect(takenPrompts(behind.session.ledger)).toEqual([]);
  });
});

describe('an agent in a terminal', () => {
  const tmux = ownTmux();
  const folder = temporaryFolder(tmux);
  let server: ManagedServer;
  beforeAll(async () => {
    server = await openManagedServer(folder, tmux);
    await launchOn(server.host, folder, 'screen', { terminal: true, tmux: true });
    await server.server.directory.changed();
  });
  afterAll(() => server.close());

  test.each([
    ['POST', 'prompt', { prompt: 'hello' }],
    ['GET', 'detail', undefined],
    ['POST', 'interrupt', undefined],
  ])('has no turns that the server runs for a gateway: %s %s', async (method, operation, body) => {
    expect(await ask(server.url, method, internal('screen', operation), body)).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/runs in a terminal; /) },
    });
  });
});
