import { describe, expect, it } from 'vitest';
import type { TurnSigns } from '../../../src/turn/turn-signs.js';
import { judge, type StopReason } from '../../../src/turn/verdict.js';

const silent: TurnSigns = {
  startFault: null,
  exitCode: 0,
  signal: null,
  completion: null,
  lastError: null,
  stderrTail: '',
  sessionLost: false,
  supervisorLost: false,
  oversizedRows: 0,
  sessionId: null,
  answer: null,
};
const success = { successful: true, message: '' };
const failure = { successful: false, message: 'it broke' };

type Case = [string, Partial<TurnSigns>, StopReason | null, string, string | null, RegExp | null];
const cases: Case[] = [
  ['an answer', { completion: success }, null, 'completed', null, null],
  ['an answer, then exit 1', { completion: success, exitCode: 1 }, null, 'completed', null, null],
  [
    'an answer, then killed',
    { completion: success, signal: 'SIGKILL', exitCode: null },
    null,
    'completed',
    null,
    null,
  ],
  [
    'an answer that the interrupt came too late for',
    { completion: success },
    'interrupt',
    'completed',
    null,
    null,
  ],
  ['an answer before a forced prompt took over', { completion: success }, 'replace', 'completed', null, null],
  ['exit 0 after an interrupt', {}, 'interrupt', 'interrupted', 'interrupted', /was interrupted/],
  [
    'an error row after an interrupt',
    { completion: failure, exitCode: 1 },
    'interrupt',
    'interrupted',
    'interrupted',
    /interrupted/,
  ],
  [
    'killed after an interrupt',
    { signal: 'SIGTERM', exitCode: null },
    'interrupt',
    'interrupted',
    'interrupted',
    /interrupted/,
  ],
  ['the gateway goes down', {}, 'shutdown', 'interrupted', 'interrupted', /gateway was stopped/],
  ['a forced prompt', { exitCode: 1 }, 'replace', 'replaced', 'replaced', /forced prompt/],
  [
    'a start that failed',
    { startFault: { code: 'agent_missing', detail: 'no such program' } },
    null,
    'failed',
    'agent_missing',
    /^no such program$/,
  ],
  [
    'a start that failed while it was stopped',
    { startFault: { code: 'agent_missing', detail: 'x' } },
    'interrupt',
    'failed',
    'agent_missing',
    /^x$/,
  ],
  [
    'a lost conversation',
    { sessionLost: true, completion: failure, exitCode: 1, stderrTail: 'No conversation\n' },
    null,
    'failed',
    'provider_session_lost',
    /last words: No conversation$/,
  ],
  [
    'a lost supervisor',
    { supervisorLost: true, exitCode: null },
    null,
    'failed',
    'agent_crashed',
    /pane closed/,
  ],
  [
    'a failure that the agent reported',
    { completion: failure },
    null,
    'failed',
    'agent_failed',
    /^it broke$/,
  ],
  [
    'a failure without a word',
    { completion: { successful: false, message: '' } },
    null,
    'failed',
    'agent_failed',
    /without a reason/,
  ],
  [
    'a failure told on stderr',
    { completion: { successful: false, message: '' }, stderrTail: 'a\nb\nc\nd\n' },
    null,
    'failed',
    'agent_failed',
    /^Its last words: b \| c \| d$/,
  ],
  [
    'a failure of the provider',
    { completion: { successful: false, message: 'API Error: 529 {}' } },
    null,
    'failed',
    'api_error',
    /529.*overloaded/,
  ],
  [
    'killed by a signal',
    { signal: 'SIGSEGV', exitCode: null, stderrTail: 'oops' },
    null,
    'failed',
    'agent_crashed',
    /SIGSEGV.*oops/,
  ],
  [
    'exit 42 without a row',
    { exitCode: 42, stderrTail: 'bad flag' },
    null,
    'failed',
    'agent_failed',
    /code 42.*bad flag/,
  ],
  [
    'exit 1 after an error of the provider',
    { exitCode: 1, lastError: 'status 401 Unauthorized' },
    null,
    'failed',
    'api_error',
    /401.*credentials/,
  ],
  [
    'exit 1 after another error',
    { exitCode: 1, lastError: 'disk quota' },
    null,
    'failed',
    'agent_failed',
    /code 1.*disk quota/,
  ],
  ['exit 0 without a result', {}, null, 'failed', 'no_result', /never reported/],
  ['exit 0 with a row too long to read', { oversizedRows: 2 }, null, 'failed', 'no_result', /2 row/],
];

describe('the verdict on a turn (execution §6.4, decision 12)', () => {
  it.each(cases)('%s', (_name, signs, stop, outcome, code, detail) => {
    const verdict = judge({ ...silent, ...signs }, stop);
    expect(verdict.outcome).toBe(outcome);
    expect(verdict.error?.code ?? null).toBe(code);
    if (detail) expect(verdict.error?.detail).toMatch(detail);
  });

  it('keeps a reason short and whole in its characters', () => {
    const verdict = judge({ ...silent, completion: { successful: false, message: '🙂'.repeat(5000) } }, null);
    expect(verdict.error?.detail).toBe('🙂'.repeat(2000));
  });
});
