import { describe, expect, onTestFinished, test } from 'vitest';
import { bothDoors } from '../both-doors.js';
import { answerJson } from '../local-server.js';
import { ownTime } from '../own-time.js';
import { type StubOptions, startStubGateway } from '../stub-gateway.js';

describe.each(bothDoors)('$door', ({ gatewayAt, PromptFailed, TurnFailed, caught, idOf }) => {
  async function stub(options: StubOptions = {}) {
    const gateway = await startStubGateway(options);
    onTestFinished(() => gateway.close());
    const client = gatewayAt(gateway.url);
    const submit = async (prompt: string) =>
      (await client.submitRequest({ body: { kind: 'submit_prompt', payload: { prompt } } })).request_id;
    return { gateway, client, submit };
  }

  test('another client waits for the answer, and has it once more afterwards', async () => {
    const { gateway, submit } = await stub();
    const requestId = await submit('Hello');
    const handle = gatewayAt(gateway.url).request(requestId);
    expect(handle.requestId).toBe(requestId);
    await expect(handle.answer()).resolves.toBe('You said: Hello');
    await expect(handle.answer()).resolves.toBe('You said: Hello');
    expect(gateway.records).toHaveLength(1);
  });

  test('a prompt that was waited for too shortly is waited for again', async () => {
    const time = ownTime();
    const { gateway, client } = await stub();
    const tooShort = caught(client.prompt('forever', { timeoutMs: 100 }));
    await time.until(() => gateway.received.length, 2);
    await time.pass(100);
    const { requestId } = await tooShort;
    const answer = client.request(requestId!).answer();
    gateway.complete(0);
    await expect(answer).resolves.toBe('Done.');
    expect(gateway.records).toHaveLength(1);
  });

  test('it tells the record while it waits', async () => {
    const { gateway, client, submit } = await stub();
    const states: string[] = [];
    const requestId = await submit('forever');
    const onUpdate = ({ state }: { state: string }) => {
      states.push(state);
      gateway.complete(0);
    };
    await client.request(requestId).answer({ onUpdate });
    expect(states).toEqual(['accepted', 'completed']);
  });

  test('a turn that failed', async () => {
    const { client, submit } = await stub();
    const requestId = await submit('please fail');
    const error = await caught(client.request(requestId).answer());
    expect(error).toBeInstanceOf(PromptFailed);
    expect(error).toMatchObject({ errorCode: 'agent_failed', requestId });
  });

  test('a request that the gateway does not know', async () => {
    const { client } = await stub();
    const error = await caught(client.request('gwreq-none').answer());
    expect(error).toMatchObject({ status: 404, requestId: 'gwreq-none', operationId: idOf('getRequest') });
  });

  test('its own limit, signal and silence end the waiting with the id and with what is known', async () => {
    const time = ownTime();
    const { gateway, client, submit } = await stub();
    const requestId = await submit('forever');
    const handle = client.request(requestId);
    const states: string[] = [];
    const late = caught(handle.answer({ timeoutMs: 300, onUpdate: ({ state }) => states.push(state) }));
    await time.until(() => states, ['accepted']);
    await time.pass(300);
    expect(await late).toMatchObject({
      errorCode: 'timeout',
      requestId,
      detail: expect.stringMatching(`^No answer within 300 ms. Request ${requestId} is taken: `),
    });
    expect(await caught(handle.answer({ signal: AbortSignal.abort('early') }))).toMatchObject({
      errorCode: 'aborted',
      cause: 'early',
      requestId,
      detail: `Stopped waiting. The state of request ${requestId} is not known.`,
    });
    await gateway.close();
    const silent = await caught(time.passWhile(handle.answer({ silenceMs: 300 })));
    expect(silent).toMatchObject({ errorCode: 'connection_failed', requestId });
    expect(silent.detail).toContain(`The state of request ${requestId} is not known.`);
  });

  test.each([{ timeoutMs: 0 }, { silenceMs: -1 }])('%j is refused', async (options) => {
    const { client } = await stub();
    await expect(client.request('gwreq-1').answer(options)).rejects.toThrow(RangeError);
  });

  test('a turn by its id gives its answer, and its failure', async () => {
    const { client, submit } = await stub();
    const turnOf = async (prompt: string) => `turn-${await submit(prompt)}`;
    const [good, bad] = [await turnOf('Hello'), await turnOf('please fail')];
    for (const id of [good, bad])
      await client
        .request(id.replace('turn-', ''))
        .answer()
        .catch(() => undefined);
    await expect(client.turn(good).answer()).resolves.toBe('You said: Hello');
    expect(await client.turn(good).record()).toMatchObject({ turn_id: good, state: 'ended' });
    const error = await caught(client.turn(bad).answer());
    expect(error).toBeInstanceOf(TurnFailed);
    expect(error).toMatchObject({ errorCode: 'agent_failed', turnId: bad, turn: { turn_id: bad } });
    expect(await caught(client.turn('turn-none').record())).toMatchObject({
      status: 404,
      turnId: 'turn-none',
      operationId: idOf('getTurn'),
    });
  });

  test('an interrupt that fails is reported as the request of the interrupt ended', async () => {
    const failed = { code: 'signal_failed', detail: 'It cannot be signalled.' };
    const { client } = await stub({
      intercept: ({ method }, res) => {
        if (method === 'POST') answerJson(res, 200, { request_id: 'gwreq-interrupt', state: 'accepted' });
        else
          answerJson(res, 200, {
            request_id: 'gwreq-interrupt',
            state: 'failed',
            error: failed,
            turn: null,
          });
        return true;
      },
    });
    const error = await caught(client.turn('turn-1').interrupt());
    expect(error).toBeInstanceOf(PromptFailed);
    expect(error).toMatchObject({
      errorCode: 'signal_failed',
      detail: 'It cannot be signalled.',
      requestId: 'gwreq-interrupt',
    });
  });
});
