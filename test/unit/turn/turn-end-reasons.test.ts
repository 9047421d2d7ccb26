import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { noSigns, type TurnSigns } from '../../../src/run/running-turn.js';
import { judge } from '../../../src/turn/turn-end.js';
import type { StopReason } from '../../../src/turn/turn-table.js';

const quiet: TurnSigns = { ...noSigns, exitCode: 0 };
const said = (message: string) => ({ completion: { successful: false, message } });
const interruptedThere = {
  reportedOutcome: {
    outcome: 'interrupted' as const,
    error: { code: 'interrupted' as const, detail: 'The server interrupted it.' },
  },
};

describe('every end says why, in words', () => {
  test.each<[string, Partial<TurnSigns>, StopReason | null, string, string]>([
    ['a forced prompt', {}, 'replace', 'replaced', 'The turn was ended to make room for a forced prompt.'],
    ['an interrupt', {}, 'interrupt', 'interrupted', 'The turn was interrupted.'],
    ['the end of its owner', {}, 'shutdown', 'interrupted', 'The gateway was stopped while the turn ran.'],
    [
      'its time limit',
      {},
      'time_limit',
      'turn_time_limit',
      'The turn ran longer than a turn of this agent may, and was ended.',
    ],
    [
      'a lost conversation',
      { sessionLost: true, stderrTail: 'No conversation\n' },
      null,
      'provider_session_lost',
      'The agent no longer knows the conversation it was to continue. Its last words: No conversation',
    ],
    [
      'a lost supervisor',
      { supervisorLost: true, exitCode: null },
      null,
      'agent_crashed',
      'The supervisor of the turn vanished before the agent ended; was its tmux pane closed?',
    ],
    [
      'a signal',
      { exitCode: null, signal: 'SIGSEGV', stderrTail: 'oops' },
      null,
      'agent_crashed',
      'The agent was killed by SIGSEGV. Its last words: oops',
    ],
    [
      'an exit code after an error of the provider',
      { exitCode: 1, lastError: 'API Error: 429 slow down' },
      null,
      'api_error',
      'API error 429: the provider limits the rate; try again later. The agent said: API Error: 429 slow down',
    ],
    [
      'an exit code after an error of its own',
      { exitCode: 1, lastError: 'no such tool', stderrTail: 'noise' },
      null,
      'agent_failed',
      'The agent exited with code 1. no such tool',
    ],
    ['a bare exit code', { exitCode: 7 }, null, 'agent_failed', 'The agent exited with code 7.'],
    [
      'a result that was too long',
      { oversizedRows: 2 },
      null,
      'no_result',
      'The agent ended without a result that could be read; 2 rows were over 16 MiB.',
    ],
    ['no result at all', {}, null, 'no_result', 'The agent exited with code 0 but never reported a result.'],
    [
      'no result, and last words',
      { stderrTail: '\nbye\n' },
      null,
      'no_result',
      'The agent exited with code 0 but never reported a result. Its last words: bye',
    ],
  ])('%s', (_what, signs, stop, code, detail) => {
    expect(judge({ ...quiet, ...signs }, stop).error).toEqual({ code, detail });
  });
});

describe('a result that tells of a failure', () => {
  test('counts although the agent exited with 0', () => {
    expect(judge({ ...quiet, ...said('the hook said no') }, null)).toEqual({
      outcome: 'failed',
      error: { code: 'agent_failed', detail: 'the hook said no' },
    });
  });
  test('without a message is described by the last words', () => {
    const verdict = judge({ ...quiet, ...said(''), stderrTail: 'out of tokens' }, null);
    expect(verdict.error).toEqual({ code: 'agent_failed', detail: 'Its last words: out of tokens' });
  });
  test.each(['', ' \n '])('without any words says so: %j', (message) => {
    expect(judge({ ...quiet, ...said(message) }, null).error).toEqual({
      code: 'agent_failed',
      detail: 'The agent reported a failure without a reason.',
    });
  });
});

describe('the word of a server', () => {
  test('counts when nobody stopped the turn here', () => {
    expect(judge({ ...quiet, ...interruptedThere }, null)).toEqual(interruptedThere.reportedOutcome);
  });
  test('that it was interrupted says less than why we stopped it', () => {
    expect(judge({ ...quiet, ...interruptedThere }, 'replace').outcome).toBe('replaced');
  });
  test('that it was completed counts although we meant to stop it', () => {
    const completed = { outcome: 'completed', error: null } as const;
    expect(judge({ ...quiet, reportedOutcome: completed }, 'interrupt')).toEqual(completed);
  });
});

const anyText = fc.string({ unit: 'binary', maxLength: 3000 });
const anySigns: fc.Arbitrary<TurnSigns> = fc.record({
  startFault: fc.constant(null),
  exitCode: fc.option(fc.nat(255)),
  signal: fc.option(fc.constantFrom('SIGINT', 'SIGTERM', 'SIGKILL')),
  endedAt: fc.constant(null),
  completion: fc.option(fc.record({ successful: fc.boolean(), message: anyText })),
  lastError: fc.option(anyText),
  stderrTail: anyText,
  sessionLost: fc.boolean(),
  supervisorLost: fc.boolean(),
  oversizedRows: fc.nat(3),
  reportedOutcome: fc.constant(null),
  outcomeUnknown: fc.constant(null),
  notTaken: fc.boolean(),
  stranded: fc.boolean(),
  sessionId: fc.constant(null),
  answer: fc.constant(null),
  usage: fc.constant(null),
});
const anyStop = fc.constantFrom<StopReason | null>(null, 'interrupt', 'replace', 'shutdown', 'time_limit');

describe('whatever was seen', () => {
  test('a successful result completes the turn, and nothing else does', () => {
    fc.assert(
      fc.property(anySigns, anyStop, (signs, stop) => {
        const { outcome, error } = judge(signs, stop);
        expect(outcome === 'completed').toBe(signs.completion?.successful === true);
        expect(error === null).toBe(outcome === 'completed');
      }),
    );
  });
  test('a reason has at most 2000 characters, none of them cut in half, and no space around it', () => {
    fc.assert(
      fc.property(anySigns, anyStop, (signs, stop) => {
        const detail = judge(signs, stop).error?.detail ?? 'none';
        const characters = [...detail];
        expect(characters.length).toBeGreaterThan(0);
        expect(characters.length).toBeLessThanOrEqual(2000);
        expect(detail.trimStart()).toBe(detail);
      }),
    );
  });
});
