import { describe, expect, test } from 'vitest';
import { replaceInstance } from './support/edit-manifest.js';
import { readEvents, readLedger } from './support/events.js';
import { serve, serveEach } from './support/served.js';

describe('POST /v1/control/reconcile', () => {
  const served = serveEach();
  const reconcile = (action: string) =>
    served.ask('POST', '/v1/control/reconcile', { schema_version: 1, action });
  const status = async () => (await served.ask('GET', '/v1/status')).body;

  /** Leaves prompts waiting for an instance that is then replaced. */
  async function strand(...prompts: string[]): Promise<string[]> {
    await served.prompt('[[slow=60000]] in the way');
    // A prompt that has not begun would be stranded with the others.
    await served.statusWhen(({ active_execution }) => active_execution === 'running');
    const waiting: string[] = [];
    for (const prompt of prompts) waiting.push((await served.prompt(prompt)).body.request_id);
    await served.restart(() => replaceInstance(served.session.paths));
    return waiting;
  }

  test('with nothing to settle is 200 with zeros', async () => {
    for (const action of ['adopt', 'discard']) {
      const { status: code, body } = await reconcile(action);
      expect([code, body]).toEqual([
        200,
        { status: 'ok', action: 'reconcile', adopted: 0, discarded: 0, managed_agent_instance_epoch: 1 },
      ]);
    }
  });

  test('adopt: until then everything is blocked and waits; after it the rows run in their order', async () => {
    const [first = '', second = ''] = await strand('adopted one', 'adopted two');
    expect(await status()).toMatchObject({
      managed_agent_instance_epoch: 2,
      managed_agent_recovery: 'reconciliation_required',
      request_admission: 'blocked_reconciliation',
      queue_depth: 2,
      active_execution: 'idle',
    });
    for (const answer of [
      await served.prompt('refused'),
      await served.interrupt(),
      await served.prompt('refused', { execution: { model: { reasoning: { level: 0 } } } }),
      await served.ask('POST', '/v1/control/send-keys', { sequence: 'x' }),
    ]) {
      expect([answer.status, answer.body.detail]).toEqual([409, expect.stringContaining('reconcile')]);
    }
    expect((await served.ask('GET', `/v1/requests/${first}`)).body).toMatchObject({
      state: 'accepted',
      managed_agent_instance_epoch: 1,
      waiting_reason: { code: 'reconciliation' },
    });
    expect((await served.ask('GET', '/v1/requests')).body.requests).toHaveLength(3);

    const { body } = await reconcile('adopt');
    expect(body).toMatchObject({ adopted: 2, discarded: 0, managed_agent_instance_epoch: 2 });
    expect(await served.final(second)).toMatchObject({ state: 'completed', managed_agent_instance_epoch: 2 });
    const prompts = readLedger(served.session.ledger).map((line) => line.prompt);
    expect(prompts.indexOf('adopted one')).toBeLessThan(prompts.indexOf('adopted two'));
    expect(await status()).toMatchObject({ managed_agent_recovery: 'idle', request_admission: 'open' });
    expect((await reconcile('adopt')).body).toMatchObject({ adopted: 0, discarded: 0 });
  });

  test('discard: the rows are cancelled and never run', async () => {
    const waiting = await strand('discarded one', 'discarded two');
    const { body } = await reconcile('discard');
    expect(body).toMatchObject({ adopted: 0, discarded: 2, managed_agent_instance_epoch: 2 });
    for (const id of waiting) {
      expect(await served.final(id)).toMatchObject({
        state: 'cancelled',
        error: { code: 'discarded' },
        turn: null,
      });
    }
    const { request_id } = (await served.prompt('afterwards')).body;
    expect((await served.final(request_id)).state).toBe('completed');
    expect(readLedger(served.session.ledger).map((line) => line.prompt)).not.toContain('discarded one');
    const cancelled = readEvents(served.session.paths).filter(({ kind }) => kind === 'cancelled');
    expect(cancelled.map((event) => event.request_id).sort()).toEqual([...waiting].sort());
  });

  test('a block survives a restart, and an instance replaced under a running gateway is noticed', async () => {
    replaceInstance(served.session.paths);
    await expect.poll(async () => (await status()).request_admission).toBe('blocked_reconciliation');
    await served.restart();
    expect(await status()).toMatchObject({
      request_admission: 'blocked_reconciliation',
      managed_agent_instance_epoch: 2,
    });
    await reconcile('adopt');
    await served.restart();
    expect(await status()).toMatchObject({ request_admission: 'open', managed_agent_instance_epoch: 2 });
  });
});

describe('POST /v1/control/reconcile', () => {
  const served = serve();

  test.each([
    [{}, 'missing', ['body', 'action']],
    [{ action: 'merge' }, 'literal_error', ['body', 'action']],
    [{ action: 'adopt', schema_version: 2 }, 'literal_error', ['body', 'schema_version']],
    [{ action: 'adopt', all: true }, 'extra_forbidden', ['body', 'all']],
  ])('refuses %j', async (body, type, loc) => {
    const answer = await served.ask('POST', '/v1/control/reconcile', body);
    expect([answer.status, answer.body.detail]).toEqual([422, [expect.objectContaining({ type, loc })]]);
  });
});
