import { describe, expect, test } from 'vitest';
import { noSigns, type TurnSigns } from '../../../src/run/running-turn.js';
import { judge } from '../../../src/turn/turn-end.js';
import type { StopReason } from '../../../src/turn/turn-table.js';

const quiet: TurnSigns = { ...noSigns, exitCode: 0 };
const answered = { completion: { successful: true, message: 'done' } };
const refused = (message: string) => ({
  completion: { successful: false, message },
  lastError: message,
  exitCode: 1,
});

// The measured behaviour of the CLIs, and what it means (docs/decisions.md#verdict).
test.each<[string, Partial<TurnSigns>, StopReason | null, string, string | null]>([
  ['an answer', answered, null, 'completed', null],
  ['an answer, then a bad exit', { ...answered, exitCode: 1 }, null, 'completed', null],
  [
    'an answer, then killed while lingering',
    { ...answered, exitCode: null, signal: 'SIGTERM' },
    null,
    'completed',
    null,
  ],
  ['an answer in spite of an interrupt', answered, 'interrupt', 'completed', null],
  ['an answer in spite of a forced prompt', answered, 'replace', 'completed', null],
  [
    'claude after SIGINT: exit 0 and a failed result',
    refused('interrupted'),
    'interrupt',
    'interrupted',
    'interrupted',
  ],
  ['gemini group after SIGINT: exit 0, no result', {}, 'interrupt', 'interrupted', 'interrupted'],
  ['codex after SIGINT: exit 1, no rows', { exitCode: 1 }, 'interrupt', 'interrupted', 'interrupted'],
  ['SIGTERM: exit 143', { exitCode: 143 }, 'interrupt', 'interrupted', 'interrupted'],
  ['killed by the ladder', { exitCode: null, signal: 'SIGKILL' }, 'interrupt', 'interrupted', 'interrupted'],
  ['replaced', { exitCode: null, signal: 'SIGINT' }, 'replace', 'replaced', 'replaced'],
  ['the gateway went down', { exitCode: 0 }, 'shutdown', 'interrupted', 'interrupted'],
  ['killed by somebody else', { exitCode: null, signal: 'SIGKILL' }, null, 'failed', 'agent_crashed'],
  ['out of memory in a container: exit 137', { exitCode: 137 }, null, 'failed', 'agent_failed'],
  ['exit 0 without a result', {}, null, 'failed', 'no_result'],
  ['exit 0, the result too long to read', { oversizedRows: 1 }, null, 'failed', 'no_result'],
  [
    'an unknown conversation, claude',
    { ...refused('No conversation found'), sessionLost: true },
    null,
    'failed',
    'provider_session_lost',
  ],
  [
    'an unknown conversation, gemini: exit 42',
    { exitCode: 42, sessionLost: true },
    null,
    'failed',
    'provider_session_lost',
  ],
  ['the pane was closed', { exitCode: null, supervisorLost: true }, null, 'failed', 'agent_crashed'],
  [
    'the pane was closed after the answer',
    { ...answered, exitCode: null, supervisorLost: true },
    null,
    'completed',
    null,
  ],
  ['the provider refused', refused('API Error: 401 authentication_error'), null, 'failed', 'api_error'],
  ['a failed result of the agent itself', refused('the hook said no'), null, 'failed', 'agent_failed'],
  [
    'not started',
    { startFault: { code: 'agent_missing', detail: 'not found' }, exitCode: null },
    null,
    'failed',
    'agent_missing',
  ],
  [
    'not started, and interrupted',
    { startFault: { code: 'agent_missing', detail: 'not found' }, exitCode: null },
    'interrupt',
    'failed',
    'agent_missing',
  ],
])('%s', (_what, signs, stop, outcome, code) => {
  const verdict = judge({ ...quiet, ...signs }, stop);
  expect(verdict.outcome).toBe(outcome);
  expect(verdict.error?.code ?? null).toBe(code);
  if (code !== null) expect(verdict.error?.detail.trim()).not.toBe('');
});

describe('reasons', () => {
  test('the exit code and the last words of stderr', () => {
    const verdict = judge(
      { ...quiet, exitCode: 3, stderrTail: 'noise\nnoise\nsecond\nthird\nfourth\n' },
      null,
    );
    expect(verdict.error?.detail).toMatch(/ code 3\. Its last words: second \| third \| fourth$/);
  });
  test('megabytes are cut', () => {
    const verdict = judge({ ...quiet, ...refused('x'.repeat(5_000_000)) }, null);
    expect(verdict.error?.detail.length).toBeLessThanOrEqual(2000);
  });
});
