import { expect, it } from 'vitest';
import { readClaudeStatus } from '../../../../src/tools/claude/claude-self-report.js';
import { sampleText } from '../session-sample.js';

const samples = sampleText('claude/sessions-pid.json.states.jsonl').trim().split('\n');

it('each state of a real process', () => {
  const seen = samples.map((text) => readClaudeStatus(text));
  expect(seen.map((status) => [status?.state, status?.waitingFor])).toEqual([
    [null, null],
    ['busy', null],
    ['idle', null],
    ['waiting', 'dialog open'],
    ['waiting', 'input needed'],
    ['idle', null],
    ['waiting', 'permission prompt'],
  ]);
  expect(seen[1]).toEqual({
    pid: 9846,
    startedAt: '159261',
    conversation: 'b1384eeb-3566-4e1e-9cf7-283ee59c8de2',
    cwd: '/work/project',
    state: 'busy',
    waitingFor: null,
    stateSince: '2026-11-22T17:56:38.856Z',
  });
});

it('a state that is not known is none', () => {
  const [sample = ''] = samples.slice(1);
  for (const word of ['dreaming', 'toString', '', '__proto__'])
    expect(readClaudeStatus(sample.replace('"busy"', JSON.stringify(word)))).toMatchObject({ state: null });
});

it('a file that is half written, and one of another make, say nothing', () => {
  const [sample = ''] = samples;
  for (let length = 0; length < sample.length; length += 1)
    expect(readClaudeStatus(sample.slice(0, length))).toBeNull();
  expect(readClaudeStatus(`${sample}${sample.slice(40)}`)).toBeNull();
  expect(readClaudeStatus('{"pid":"9846","procStart":"1","sessionId":"a"}')).toBeNull();
  expect(readClaudeStatus('{"pid":9846,"procStart":"1","sessionId":"../../x"}')).toBeNull();
});
