import { expect, it } from 'vitest';
import { ClaudeHistory } from '../../../../src/tools/claude/claude-self-report.js';
import { factLines, factsOf, sampleText } from '../session-sample.js';

const history = sampleText('claude/history.jsonl');
const read = (text: string, ours: (id: string) => boolean) => factsOf(new ClaudeHistory(ours), text);

it('only what our conversations submitted', () => {
  const facts = read(history, (id) => id.startsWith('7b616a2e'));
  expect(factLines(facts)).toEqual([
    '- prompt_taken, pending: /status',
    '- prompt_taken, pending: !echo hi',
    '- prompt_taken, pending: /clear',
  ]);
  expect(facts[0]).toMatchObject({
    at: '2026-11-22T17:57:33.670Z',
    conversation: '7b616a2e-44b4-4cb5-8bdc-2756d5993a65',
  });
});

it('a text around its pastes', () => {
  const row = {
    display: 'see [Pasted text #1 +3 lines] and [Pasted text #2], not [Pasted text #9]',
    pastedContents: { 1: { content: 'one $& two' }, 2: { content: 'three' } },
    sessionId: 'a',
  };
  expect(factLines(read(JSON.stringify(row), () => true))).toEqual([
    '- prompt_taken, pending: see one $& two and three, not [Pasted text #9]',
  ]);
  expect(read(JSON.stringify({ ...row, pastedContents: { 1: { contentHash: 'x' } } }), () => true)).toEqual(
    [],
  );
});
