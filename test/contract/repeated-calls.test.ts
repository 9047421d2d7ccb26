import { describe, expect, test } from 'vitest';
import { readLedger } from './support/events.js';
import { serve, serveEach } from './support/served.js';

const keyed = (key: string) => ({ 'Idempotency-Key': key });
const otherBody = 'The Idempotency-Key was used before with another body.';

describe('POST /v1/control/prompt with an Idempotency-Key', () => {
  const served = serveEach();
  const send = (body: object, key: string) => served.ask('POST', '/v1/control/prompt', body, keyed(key));
  const reported = ({ status, body, headers }: Awaited<ReturnType<typeof send>>) => ({
    status,
    body,
    turn: headers.get('x-houmao-turn-id'),
    at: headers.get('location'),
    replayed: headers.get('idempotency-replayed'),
  });
  const taken = (text: string) =>
    readLedger(served.session.ledger).filter((line) => line.prompt === text).length;

  test('is sent once and answered as at first: at once, after its end, and by the next gateway', async () => {
    const both = await Promise.all([send({ prompt: 'once' }, 'k'), send({ prompt: 'once' }, 'k')]);
    const [first, second] = both.map(reported).sort((one) => (one.replayed === null ? -1 : 1));
    expect(first).toMatchObject({ status: 200, replayed: null, body: { sent: true } });
    expect(second).toEqual({ ...first, replayed: 'true' });
    await served.ended(first?.turn ?? '');
    expect(reported(await send({ prompt: 'once' }, 'k'))).toEqual(second);
    await served.restart();
    expect(reported(await send({ prompt: 'once', force: false }, 'k'))).toEqual(second);
    expect(taken('once')).toBe(1);
    const other = await send({ prompt: 'once', force: true }, 'k');
    expect([other.status, other.body.detail]).toEqual([422, otherBody]);
    expect(other.headers.get('x-houmao-error-code')).toBe('key_reused');
  });

  test('is refused without using up its key', async () => {
    await send({ prompt: '[[slow=60000]] long' }, 'a');
    expect((await send({ prompt: 'mine' }, 'k')).body.detail.error_code).toBe('not_ready');
    const forced = reported(await send({ prompt: 'mine', force: true }, 'k'));
    expect(forced).toMatchObject({ status: 200, replayed: null });
    await served.ended(forced.turn ?? '');
    expect(taken('mine')).toBe(1);
  });
});

describe('POST /v1/reminders with an Idempotency-Key', () => {
  const served = serve();
  const requested = (title: string) => ({
    reminders: [{ mode: 'one_off', title, prompt: 'P', ranking: 0, start_after_seconds: 86_400 }],
  });
  const create = (title: string, key: string) =>
    served.ask('POST', '/v1/reminders', requested(title), keyed(key));
  const listed = async (title: string) =>
    (await served.ask('GET', '/v1/reminders')).body.reminders.filter(
      (one: { title: string }) => one.title === title,
    ).length;

  test('adds once, and answers with what it added also when that is gone', async () => {
    const [first, second] = await Promise.all([create('once', 'k'), create('once', 'k')]);
    expect([first.status, second.body]).toEqual([200, first.body]);
    expect([first, second].map(({ headers }) => headers.get('idempotency-replayed')).sort()).toEqual(
      [null, 'true'].sort(),
    );
    expect(await listed('once')).toBe(1);
    const [{ reminder_id }] = first.body.reminders;
    await served.ask('DELETE', `/v1/reminders/${reminder_id}`);
    expect((await create('once', 'k')).body).toEqual(first.body);
    expect(await listed('once')).toBe(0);
    const other = await create('another', 'k');
    expect([other.status, other.body.detail, await listed('another')]).toEqual([422, otherBody, 0]);
    expect(other.headers.get('x-houmao-error-code')).toBe('key_reused');
  });

  test('adds again after a restart, with which reminders and keys are lost', async () => {
    await create('lost', 'l');
    await served.restart();
    const again = await create('lost', 'l');
    expect([again.status, again.headers.get('idempotency-replayed'), await listed('lost')]).toEqual([
      200,
      null,
      1,
    ]);
  });
});
