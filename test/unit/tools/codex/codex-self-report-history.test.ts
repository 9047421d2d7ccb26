import { expect, it } from 'vitest';
import { CodexHistory } from '../../../../src/tools/codex/codex-self-report.js';
import { factsOf, sampleText } from '../session-sample.js';

it('only what our threads submitted', () => {
  const reader = new CodexHistory((id) => id.startsWith('01a2047b-1527'));
  expect(factsOf(reader, sampleText('codex/history.jsonl'))).toEqual([
    {
      kind: 'prompt_taken',
      text: 'hello one',
      pending: true,
      evidence: 'row at byte 0 of sample',
      at: null,
      conversation: '01a2047b-1527-7720-840f-3c9da6bce7d7',
      turn: null,
    },
  ]);
});
