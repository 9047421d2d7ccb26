import { writeFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { RestTerminalTarget } from '../../../../src/agent/remote/rest-terminal-target.js';
import { interruptLadder, type RunningTurn } from '../../../../src/run/running-turn.js';
import { becomeRest } from '../../../contract/support/edit-manifest.js';
import { type AgentServer, startAgentServer } from '../../../support/agent-server.js';
import {
  plainAssignment,
  plainOptions,
  resolved,
  type TurnNotes,
  turnNotes,
} from '../../../support/plain-turn.js';
import { makeSession, type TestSession } from '../../../support/test-session.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

let server: AgentServer;
let session: TestSession;
let clock: VirtualClock;
let notes: TurnNotes;
afterEach(async () => {
  await server.kill();
  session.remove();
});

/** A prompt for a terminal on a real server, in a time of its own. */
async function begin(behaviour: Record<string, unknown>): Promise<RunningTurn> {
  server = await startAgentServer();
  session = await makeSession();
  becomeRest(session.paths, server.url);
  await server.behave(behaviour);
  clock = new VirtualClock('2026-01-01T00:00:00Z');
  notes = turnNotes();
  const target = new RestTerminalTarget(session.paths, clock);
  return resolved(target.resolve(plainOptions)).start(plainAssignment, notes);
}
const methods = async () =>
  (await server.calls()).map(({ method, path }) => `${method} ${path.split('/').at(-1)}`);
const asked = (call: string) => expect.poll(methods).toContain(call);
/** Lets time pass until something comes of it; what is asked of the server meanwhile is answered before the next step. */
const passUntil = <T>(awaited: Promise<T>): Promise<T> => clock.passUntil(awaited, 200, () => server.calls());

test('what goes wrong before the prompt is sent leaves no doubt about it', async () => {
  const turn = await begin({ faults: { '/terminals/term-123': 'cut' } });
  expect(await turn.ended).toMatchObject({
    reportedOutcome: { outcome: 'failed', error: { code: 'peer_lost' } },
    outcomeUnknown: null,
  });
  expect(await methods()).toEqual(['GET term-123']);
});

test('a terminal that begins to work has the prompt', async () => {
  const turn = await begin({});
  const signs = await passUntil(turn.ended);
  expect(signs?.reportedOutcome).toEqual({ outcome: 'completed', error: null });
  expect(notes.confirmedBy).toEqual(['after taking the prompt the terminal reported status=processing']);
});

test('a terminal that reports an error has confirmed nothing', async () => {
  const turn = await begin({ statusAfterInput: 'error' });
  expect(await passUntil(turn.ended)).toMatchObject({
    reportedOutcome: { outcome: 'completed', error: null },
    outcomeUnknown: 'the server took the prompt; its terminal then reported status=error',
  });
  expect(notes.handedOverBy).toHaveLength(1);
  expect(notes.confirmedBy).toEqual([]);
});

test('a terminal that reports an error and then works has the prompt', async () => {
  const turn = await begin({ statusAfterInput: 'error' });
  await asked('POST input');
  await server.behave({ terminalStatus: 'processing' });
  await passUntil(turn.ended);
  expect(notes.confirmedBy).toHaveLength(1);
});

test('a terminal that shows nothing: whether it has the prompt is not known', async () => {
  const turn = await begin({ statusAfterInput: 'idle' });
  expect(await passUntil(turn.ended)).toMatchObject({
    outcomeUnknown: 'the server took the prompt; its terminal showed no change within 5 s',
  });
  expect(notes.confirmedBy).toEqual([]);
});

test('a prompt that is interrupted before it is typed is not typed any more', async () => {
  const turn = await begin({ faults: { '/terminals/term-123': 'hold' } });
  await asked('GET term-123');
  const stopped = turn.stop(interruptLadder, false);
  await asked('POST exit');
  await server.release();
  expect(await stopped).toEqual({ outcome: 'stopped', signal: null });
  expect(await turn.ended).toMatchObject({
    reportedOutcome: { outcome: 'interrupted', error: { code: 'interrupted' } },
    outcomeUnknown: null,
  });
  expect(await methods()).toEqual(['GET term-123', 'POST exit']);
  expect(notes.handedOverBy).toEqual([]);
});

test('one that is left is left, and nobody else can tell whether it was handed over', async () => {
  const turn = await begin({ faults: { '/terminals/term-123': 'hold' } });
  await asked('GET term-123');
  turn.leave();
  await server.release();
  expect(await turn.ended).toBeNull();
  expect(await methods()).toEqual(['GET term-123']);
  expect(new RestTerminalTarget(session.paths, clock).adopt()).toBeNull();
});

test('a turn goes to the terminal that it was resolved for', async () => {
  server = await startAgentServer();
  session = await makeSession();
  becomeRest(session.paths, server.url);
  await server.behave({ statusAfterInput: 'idle' });
  clock = new VirtualClock('2026-01-01T00:00:00Z');
  const target = new RestTerminalTarget(session.paths, clock);
  const turn = resolved(target.resolve({ ...plainOptions, chatSession: { mode: 'new' } }));
  writeFileSync(session.paths.manifest, '{ half a');
  const ended = passUntil(turn.start(plainAssignment, turnNotes()).ended);
  expect(await ended).toMatchObject({ reportedOutcome: { outcome: 'completed' } });
  const typed = (await server.calls()).flatMap(({ query }) => query.message ?? []);
  expect(typed).toEqual(['/clear', 'x']);
});
