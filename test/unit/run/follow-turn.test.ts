import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/clock.js';
import { newTurnId } from '../../../src/foundation/ids.js';
import { markVariables } from '../../../src/foundation/marked-processes.js';
import { identify } from '../../../src/foundation/processes.js';
import { followTurn } from '../../../src/run/follow-turn.js';
import { forceLadder } from '../../../src/run/running-turn.js';
import { turnNotes } from '../../support/plain-turn.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { jobIn, type PlainJob, session } from '../../support/turn-job.js';

let other: ChildProcess | null = null;
afterEach(() => other?.kill('SIGKILL'));

/** A process that has nothing to do with a turn, or carries its mark. */
function somebody(mark: Record<string, string> = {}): number {
  other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    detached: true,
    stdio: 'ignore',
    env: mark,
  });
  return other.pid ?? 0;
}

/** The files of a turn whose runner and agent had that pid, and said a few words. */
function leftBehind(pid: number, turnId = newTurnId()): PlainJob {
  const plain = jobIn(temporaryFolder(), { turnId });
  const { artifacts } = plain.job;
  mkdirSync(artifacts.directory, { recursive: true });
  writeFileSync(artifacts.process, JSON.stringify({ runner_pid: pid, child_pid: pid }));
  writeFileSync(artifacts.stdout, '');
  writeFileSync(artifacts.stderr, 'last words\n');
  return plain;
}
const ended = { supervisorLost: true, exitCode: null, signal: null, stderrTail: 'last words\n' };

describe('pids are given out again: a process that has the pid of an earlier one', () => {
  test.each([
    ['that was written down with its start', (pid: number) => [{ pid, startedAt: 'long ago' }]],
    ['that nobody wrote down, and carries no mark', () => []],
    [
      'that belongs to a turn of that name of another session',
      () => [],
      (turnId: string) => markVariables({ session: 'another-session', turnId }),
    ],
  ])('%s is neither waited for nor ended', async (_which, processes, mark = () => ({})) => {
    const turnId = newTurnId();
    const pid = somebody(mark(turnId));
    const { followed } = leftBehind(pid, turnId);
    const notes = turnNotes();
    const turn = followTurn({ ...followed, processes: processes(pid) }, null, notes, systemClock);
    expect(await turn.stop(forceLadder, true)).toEqual({ outcome: 'no_op' });
    expect(await turn.ended).toMatchObject(ended);
    expect(notes.spawnedPids).toEqual([]);
    expect(other?.exitCode ?? other?.signalCode).toBeNull();
  });

  test('but one that shows its mark a moment later, when it has become another program, is stopped', async () => {
    const turnId = newTurnId();
    const marks = Object.entries(markVariables({ session, turnId })).map((pair) => pair.join('='));
    // One exec alone: a program between them would show an environment without the mark.
    other = spawn('/bin/sh', ['-c', `/bin/sleep 0.1; export ${marks.join(' ')}; exec /bin/sleep 60`], {
      detached: true,
      stdio: 'ignore',
      env: {},
    });
    const { followed } = leftBehind(other.pid ?? 0, turnId);
    const turn = followTurn({ ...followed, processes: [] }, null, turnNotes(), systemClock);
    expect(await turn.stop(forceLadder, true)).toMatchObject({ outcome: 'stopped' });
    expect(await turn.ended).toMatchObject(ended);
  });

  test('but a child of our runner is ours, and is stopped, also while it shows no environment', async () => {
    const turnId = newTurnId();
    const { followed, job } = leftBehind(1, turnId);
    // A runner that starts somebody without an environment, tells of it, and ends when that has ended.
    const runner = `
      const agent = require('node:child_process').spawn('/bin/sleep', ['60'], { detached: true, stdio: 'ignore', env: {} });
      const text = JSON.stringify({ runner_pid: process.pid, child_pid: agent.pid });
      require('node:fs').writeFileSync(process.argv[1], text);
      agent.on('exit', () => process.stdout.end('over'));
      process.stdout.write('started');`;
    other = spawn(process.execPath, ['-e', runner, job.artifacts.process], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: markVariables({ session, turnId }),
    });
    await once(other.stdout ?? other, 'data');
    const turn = followTurn(followed, null, turnNotes(), systemClock);
    expect(await turn.stop(forceLadder, true)).toEqual({ outcome: 'stopped', signal: 'SIGINT' });
  });

  test('but is the one that was meant, by its start or its mark, and is followed', async () => {
    const pid = somebody();
    const known = identify(pid);
    const byStart = followTurn(
      { ...leftBehind(pid).followed, processes: known ? [known] : [] },
      ...([null, turnNotes(), systemClock] as const),
    );
    expect(await byStart.stop(forceLadder, true)).toMatchObject({ outcome: 'stopped' });
    const turnId = newTurnId();
    const marked = somebody(markVariables({ session, turnId }));
    const byMark = followTurn(leftBehind(marked, turnId).followed, null, turnNotes(), systemClock);
    expect(await byMark.stop(forceLadder, true)).toMatchObject({ outcome: 'stopped' });
  });
});

test('a turn that is left says nothing more, and is followed again from its beginning', async () => {
  const turnId = newTurnId();
  const { followed, job } = leftBehind(somebody(markVariables({ session, turnId })), turnId);
  const first = turnNotes();
  const turn = followTurn(followed, null, first, systemClock);
  turn.leave();
  expect(await turn.ended).toBeNull();
  const row = { type: 'system', subtype: 'init', session_id: '11111111-2222-4333-8444-555555555555' };
  writeFileSync(job.artifacts.stdout, `${JSON.stringify(row)}\n`);
  writeFileSync(job.artifacts.exitCode, '-9\n');
  other?.kill('SIGKILL');
  const second = turnNotes();
  expect(await followTurn(followed, null, second, systemClock).ended).toMatchObject({
    signal: 'SIGKILL',
    exitCode: null,
    supervisorLost: false,
    sessionId: row.session_id,
  });
  expect(first.confirmedBy).toEqual([]);
  expect(second.confirmedBy).toHaveLength(1);
});

test.each(['', 'soon\n', '-\n'])(
  'an exitcode that holds %j is no exit, and nobody says that the agent was not started',
  async (text) => {
    const turnId = newTurnId();
    const { followed, job } = leftBehind(somebody(markVariables({ session, turnId })), turnId);
    writeFileSync(job.artifacts.exitCode, text);
    const notes = turnNotes();
    expect(await followTurn(followed, null, notes, systemClock).ended).toMatchObject({
      exitCode: null,
      signal: null,
      outcomeUnknown: null,
      startFault: {
        code: 'internal_fault',
        detail: 'The agent got the prompt, but how the turn ended could not be read.',
      },
    });
    expect(notes.reports).toEqual([
      `turn ${turnId} could not be followed to its end: ${job.artifacts.exitCode} holds no exit code`,
    ]);
  },
);

test('a process.json that cannot be read ends the turn with a reason, and in doubt', async () => {
  const { followed, job } = leftBehind(1);
  writeFileSync(job.artifacts.process, '{}');
  expect(await followTurn(followed, null, turnNotes(), systemClock).ended).toMatchObject({
    startFault: { code: 'agent_missing', detail: 'The agent was not started: its process.json is damaged.' },
    outcomeUnknown: 'the runner of the turn never said whether it had started the agent',
  });
});

test('a turn is given up also when its job cannot be taken back, which is reported', async () => {
  const { followed, job, jobFile } = leftBehind(1);
  writeFileSync(job.artifacts.process, '{}');
  // No folder is removed as a file is.
  mkdirSync(jobFile, { recursive: true });
  const notes = turnNotes();
  expect(await followTurn(followed, null, notes, systemClock).ended).toMatchObject({
    startFault: { code: 'agent_missing' },
  });
  expect(notes.reports).toEqual([expect.stringContaining(`${jobFile} could not be removed: `)]);
});
