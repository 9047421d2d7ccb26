import { afterEach, describe, expect, test } from 'vitest';
import { ManagedApi } from '../../../../src/agent/remote/managed-api.js';
import { startManagedTurn } from '../../../../src/agent/remote/managed-turn.js';
import { forceLadder, interruptLadder } from '../../../../src/run/running-turn.js';
import { toolAdapter } from '../../../../src/tools/tool-registry.js';
import { type AgentServer, startAgentServer } from '../../../support/agent-server.js';
import { plainAssignment, plainOptions, turnNotes } from '../../../support/plain-turn.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

let server: AgentServer;
afterEach(() => server.kill());

/** A turn on a real server, in a time of its own. */
async function begin(behaviour: Record<string, unknown>, reached = '/headless-prompt', adopted = false) {
  server = await startAgentServer();
  await server.behave({ service: 'houmao-passive-server', turnMilliseconds: null, ...behaviour });
  const clock = new VirtualClock('2026-01-01T00:00:00Z');
  const notes = turnNotes();
  const turn = startManagedTurn({
    api: new ManagedApi({ baseUrl: server.url, agentRef: 'agent-1' }),
    assignment: plainAssignment,
    options: plainOptions,
    adapter: toolAdapter('claude'),
    clock,
    observer: notes,
    adopted,
  });
  const asked = (ending: string) =>
    expect
      .poll(async () => (await server.calls()).map(({ path }) => path))
      .toContainEqual(expect.stringMatching(new RegExp(`${ending}$`)));
  /** Lets time pass until something comes of it; what is asked of the server meanwhile is answered before the next second. */
  const passUntil = <T>(awaited: Promise<T>): Promise<T> =>
    clock.passUntil(awaited, 1000, () => server.calls());
  await asked(reached);
  return { turn, handedOver: notes.handedOverBy, asked, passUntil };
}

test('a server that falls silent is given up: the outcome of the turn is unknown', async () => {
  const { turn, handedOver, passUntil } = await begin({
    faults: { '/state/detail': 'cut', '/turns/turn-1': 'cut' },
  });
  const signs = await passUntil(turn.ended);
  expect(signs).toMatchObject({
    reportedOutcome: { outcome: 'failed', error: { code: 'peer_silent' } },
    outcomeUnknown: expect.stringContaining('30 s'),
  });
  expect(handedOver).toEqual([]);
});

test('a turn that the server reports as active has been delivered', async () => {
  const { turn, handedOver, asked, passUntil } = await begin({});
  const ended = passUntil(turn.ended);
  await asked('/state/detail');
  await server.finish();
  expect((await ended)?.reportedOutcome).toEqual({ outcome: 'completed', error: null });
  expect(handedOver).toEqual(['the server reports turn turn-1 as active']);
});

test('a server that does not end the turn: an interrupt fails and the turn goes on', async () => {
  const { turn, passUntil } = await begin({ obeysInterrupts: false });
  expect(await passUntil(turn.stop(interruptLadder, false))).toMatchObject({
    outcome: 'failed',
    error: { code: 'interrupt_unanswered' },
  });
  await server.finish();
  expect((await turn.ended)?.reportedOutcome).toEqual({ outcome: 'completed', error: null });
});

test('a server that does not end the turn is let go where the slot is needed', async () => {
  const { turn, passUntil } = await begin({ obeysInterrupts: false });
  expect(await passUntil(turn.stop(forceLadder, true))).toMatchObject({ outcome: 'failed' });
  expect(await turn.ended).toMatchObject({
    reportedOutcome: { outcome: 'failed', error: { code: 'interrupt_unanswered' } },
  });
});

test('what goes wrong before the prompt is sent leaves no doubt about it', async () => {
  const { turn } = await begin({ faults: { '/health': 'cut' } }, '/health');
  expect(await turn.ended).toMatchObject({
    reportedOutcome: { outcome: 'failed', error: { code: 'peer_lost' } },
    outcomeUnknown: null,
  });
});

test('a server that cannot say now how it takes prompts gets none', async () => {
  const { turn } = await begin({ faults: { '/health': { status: 503, text: '{}' } } }, '/health');
  expect(await turn.ended).toMatchObject({
    reportedOutcome: { outcome: 'failed', error: { code: 'peer_refused' } },
    outcomeUnknown: null,
  });
  expect((await server.calls()).map(({ path }) => path)).toEqual(['/health']);
});

test('a server without /health takes prompts under names of its own', async () => {
  const { turn, passUntil } = await begin(
    { faults: { '/health': { status: 404, text: '{}' } } },
    '/agent-1/requests',
  );
  const ended = passUntil(turn.ended);
  await server.finish();
  expect((await ended)?.reportedOutcome).toEqual({ outcome: 'completed', error: null });
});

describe('a turn that another owner sent', () => {
  const sent = (status: string) => ({ status, returncode: 0, error: null });
  const known = (status: string) => ({
    faults: { '/turns/turn-1': { status: 200, text: JSON.stringify(sent(status)) } },
  });

  test('is followed by the record of its server, and not sent again', async () => {
    const { turn, handedOver } = await begin(known('completed'), '/turns/turn-1', true);
    expect((await turn.ended)?.reportedOutcome).toEqual({ outcome: 'completed', error: null });
    expect(handedOver).toEqual(['the server reports turn turn-1 as completed']);
    expect((await server.calls()).map(({ method }) => method)).not.toContain('POST');
  });

  test('is not given up because its server is silent for a moment', async () => {
    const { turn, passUntil } = await begin(
      { faults: { '/health': 'cut', '/turns/turn-1': 'cut' } },
      '/turns/turn-1',
      true,
    );
    await server.behave(known('failed'));
    expect((await passUntil(turn.ended))?.reportedOutcome).toMatchObject({ error: { code: 'agent_failed' } });
  });

  test('of which its server has no record has an end that nobody knows', async () => {
    const { turn } = await begin({ service: 'houmao-server' }, '/health', true);
    expect(await turn.ended).toMatchObject({
      reportedOutcome: { outcome: 'failed', error: { code: 'peer_lost' } },
      outcomeUnknown: expect.stringContaining('no longer tell'),
    });
  });
});

test('a turn that is left goes on at its server', async () => {
  const { turn } = await begin({});
  turn.leave();
  expect(await turn.ended).toBeNull();
  expect((await server.calls()).map(({ path }) => path)).not.toContain('/houmao/agents/agent-1/requests');
});
