import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { newTurnId } from '../../../src/foundation/ids.js';
import { jobFileOf } from '../../../src/run/turn-job.js';
import { sessionPaths, turnArtifacts } from '../../../src/session/session-paths.js';
import type { TurnRow } from '../../../src/turn/turn-table.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { type OwnerProcess, startOwner } from '../../support/turn-owner.js';
import { agentsOf, eventually, heldAgent, takenPrompts, withDatabase } from '../recovery/evidence.js';
import { usePrivateTmux } from '../recovery/private-tmux.js';

// A turn has one owner at a time, and needs none to go on.

const tmux = usePrivateTmux();
let session: TestSession;
/** Processes are looked for by it on the whole machine, where other tests run too. */
let turnId: string;
beforeEach(() => {
  turnId = newTurnId();
});
afterEach(() => {
  expect(agentsOf(session)).toEqual([]);
  expect(readdirSync(session.paths.run).filter((name) => name.startsWith('job-'))).toEqual([]);
  session.remove();
});
afterAll(() => tmux.remove());

async function owner(): Promise<OwnerProcess> {
  const started = await startOwner(session);
  if ('refused' in started) throw new Error(`owned by ${JSON.stringify(started.refused)}`);
  return started;
}
const rowOf = (turnId: string): TurnRow | undefined =>
  withDatabase(session.paths, (database) =>
    database.prepare<[string], TurnRow>('SELECT * FROM turns WHERE turn_id = ?').get(turnId),
  );
const eventsOf = (turnId: string): string[] =>
  withDatabase(session.paths, (database) =>
    database
      .prepare<[string], string>('SELECT kind FROM events WHERE subject_id = ? ORDER BY seq')
      .pluck()
      .all(turnId),
  );
const plans = (): unknown[] =>
  withDatabase(session.paths, (database) => database.prepare('SELECT * FROM turn_plans').all());
const filesOf = (turnId: string) => turnArtifacts(sessionPaths(session.paths.root), turnId);
const taken = (prompt: string) =>
  eventually(`the agent taking ${prompt}`, () =>
    takenPrompts(session.ledger).find((entry) => entry.prompt === prompt),
  );
const lifeOf = ['turn_claimed', 'turn_handed_over', 'turn_confirmed', 'turn_ended'];

/** How the first owner goes. */
const goes = {
  'leaves it': async (first: OwnerProcess) => expect(await first.quit()).toBe(0),
  'is killed': (first: OwnerProcess) => first.kill(),
};

describe.each([{ tmux: false }, { tmux: true }])('a turn with tmux: $tmux', (options) => {
  test.each(Object.entries(goes))(
    'whose owner %s is adopted, and ends as if nothing had been',
    async (_how, go) => {
      session = await makeSession(options);
      const first = await owner();
      expect(await first.begin(turnId, '[[slow=1500]] handed on')).toBe(true);
      const goOn = await heldAgent(session.ledger, 'handed on');
      await go(first);
      expect(rowOf(turnId)).toMatchObject({ state: 'running' });
      const second = await owner();
      expect(await second.adopt(turnId)).toBe(true);
      expect((await second.state()).free).toBe(false);
      goOn();
      expect(await second.delivered(turnId)).toBe(true);
      expect(await second.over(turnId)).toEqual({ outcome: 'completed', error: null });
      expect(await second.state()).toEqual({ free: true, reports: [], ended: ['completed'] });
      expect(rowOf(turnId)).toMatchObject({
        state: 'ended',
        delivery_state: 'confirmed',
        outcome: 'completed',
        exit_code: 0,
        answer_text: expect.stringContaining('You said: handed on (turn 1 '),
      });
      expect(eventsOf(turnId)).toEqual(lifeOf);
      expect(plans()).toEqual([]);
      // The conversation was pinned by the one that saw its end.
      expect(await second.begin(`${turnId}-2`, 'goes on')).toBe(true);
      expect(await second.over(`${turnId}-2`)).toMatchObject({ outcome: 'completed' });
      expect(rowOf(`${turnId}-2`)?.answer_text).toContain('(turn 2 ');
      expect(takenPrompts(session.ledger).map(({ prompt }) => prompt)).toEqual([
        '[[slow=1500]] handed on',
        'goes on',
      ]);
      expect(await second.quit()).toBe(0);
    },
  );

  test('that ends while nobody owns it is found ended, with its exit code', async () => {
    session = await makeSession(options);
    const first = await owner();
    await first.begin(turnId, '[[slow=1500]] [[exit=3]] alone');
    const goOn = await heldAgent(session.ledger, 'alone');
    await first.kill();
    goOn();
    await eventually('the end of the turn', () => existsSync(filesOf(turnId).exitCode));
    const second = await owner();
    expect(await second.adopt(turnId)).toBe(true);
    expect(await second.over(turnId)).toMatchObject({ outcome: 'failed', error: { code: 'agent_failed' } });
    expect(rowOf(turnId)).toMatchObject({ state: 'ended', exit_code: 3, delivery_state: 'confirmed' });
    expect(eventsOf(turnId)).toEqual(lifeOf);
    expect(await second.quit()).toBe(0);
  });

  test('whose owner dies at any moment of its start runs once or not at all, and its record says which', async () => {
    session = await makeSession(options);
    const seen = new Set<string>();
    const moments = [
      (turnId: string) => rowOf(turnId) !== undefined,
      (turnId: string) => existsSync(filesOf(turnId).directory),
      (turnId: string) => existsSync(jobFileOf(session.paths.run, turnId)),
      (turnId: string) => existsSync(filesOf(turnId).stdout),
      (turnId: string) => existsSync(filesOf(turnId).process),
    ];
    for (const [round, hasCome] of moments.entries()) {
      const turn = `${turnId}-${round}`;
      const prompt = `[[slow=1000]] round ${round}`;
      const first = await owner();
      const begun = first.begin(turn, prompt).catch(() => null);
      // As closely as can be seen from outside; a moment that was missed is followed by the last one.
      const isThen = () => hasCome(turn) || existsSync(filesOf(turn).process);
      await vi.waitUntil(isThen, { interval: 1, timeout: 20_000 });
      await first.kill();
      await begun;
      const second = await owner();
      expect(await second.adopt(turn)).toBe(true);
      const verdict = await second.over(turn);
      const runs = takenPrompts(session.ledger).filter((entry) => entry.prompt === prompt).length;
      const row = rowOf(turn);
      seen.add(`${verdict?.outcome} ${row?.delivery_state}`);
      expect(runs).toBe(verdict?.outcome === 'completed' ? 1 : 0);
      expect(row?.delivery_state).toBe(runs === 1 ? 'confirmed' : 'failed');
      expect(new Set(eventsOf(turn)).size).toBe(eventsOf(turn).length);
      expect(eventsOf(turn).at(-1)).toBe('turn_ended');
      expect(agentsOf(session)).toEqual([]);
      expect(await second.quit()).toBe(0);
    }
    expect(seen).toContain('completed confirmed');
  });

  test('that was adopted can be interrupted', async () => {
    session = await makeSession(options);
    const first = await owner();
    await first.begin(turnId, '[[slow=60000]] long');
    await taken('[[slow=60000]] long');
    await first.quit();
    const second = await owner();
    await second.adopt(turnId);
    expect(await second.interrupt(turnId)).toEqual({ outcome: 'stopped', signal: 'SIGINT' });
    expect(await second.over(turnId)).toMatchObject({ outcome: 'interrupted' });
    expect(eventsOf(turnId)).toEqual(lifeOf);
    expect(await second.quit()).toBe(0);
  });

  test('whose runner was killed while nobody owned it: its agent is ended, and the record says so', async () => {
    session = await makeSession(options);
    const first = await owner();
    await first.begin(turnId, '[[slow=60000]] unsupervised');
    await taken('[[slow=60000]] unsupervised');
    await first.kill();
    const { runner_pid } = JSON.parse(readFileSync(filesOf(turnId).process, 'utf8'));
    process.kill(runner_pid, 'SIGKILL');
    const second = await owner();
    await second.adopt(turnId);
    expect(await second.over(turnId)).toMatchObject({ outcome: 'failed', error: { code: 'agent_crashed' } });
    expect(agentsOf(session)).toEqual([]);
    expect(await second.quit()).toBe(0);
  });
});

test('a time limit counts from the start of the turn, whichever process owns it', async () => {
  session = await makeSession({ turnTimeLimitSeconds: 2 });
  const first = await owner();
  await first.begin(turnId, '[[slow=60000]] too long');
  await taken('[[slow=60000]] too long');
  await first.kill();
  await eventually('its time to be over', () => {
    const started = rowOf(turnId)?.started_at_utc;
    return started !== undefined && Date.now() - Date.parse(started) > 2000;
  });
  const second = await owner();
  await second.adopt(turnId);
  expect(await second.over(turnId)).toMatchObject({ outcome: 'failed', error: { code: 'turn_time_limit' } });
  expect(await second.quit()).toBe(0);
});

test('a turn that was being interrupted when its owner died is judged as interrupted', async () => {
  session = await makeSession();
  const first = await owner();
  await first.begin(turnId, '[[ignore-signals]] [[slow=60000]] deaf');
  const { pid } = await taken('[[ignore-signals]] [[slow=60000]] deaf');
  first.interrupt(turnId).catch(() => undefined);
  await eventually('the reason on disk', () => JSON.stringify(plans()).includes('interrupt'));
  await first.kill();
  process.kill(pid, 'SIGKILL');
  const second = await owner();
  await second.adopt(turnId);
  expect(await second.over(turnId)).toMatchObject({ outcome: 'interrupted', error: { code: 'interrupted' } });
  expect(rowOf(turnId)).toMatchObject({ signal: 'SIGKILL' });
  expect(await second.quit()).toBe(0);
});

test('a turn that has ended, or that nobody knows, is not adopted', async () => {
  session = await makeSession();
  const first = await owner();
  await first.begin(turnId, 'short');
  await first.over(turnId);
  expect(await first.adopt(turnId)).toBe(false);
  expect(await first.adopt(`${turnId}-2`)).toBe(false);
  expect((await first.state()).free).toBe(true);
  expect(await first.quit()).toBe(0);
});

test('the turns of a session have one owner: a second process learns which, and a killed one lets go', async () => {
  session = await makeSession();
  const first = await owner();
  expect(await startOwner(session)).toEqual({
    refused: { pid: first.pid, startedAt: expect.any(String), program: 'turn-owner' },
  });
  await first.kill();
  const second = await owner();
  expect(await second.begin(turnId, 'mine now')).toBe(true);
  expect(await second.over(turnId)).toMatchObject({ outcome: 'completed' });
  expect(await second.quit()).toBe(0);
  expect(existsSync(`${session.paths.run}/owner.json`)).toBe(false);
});
