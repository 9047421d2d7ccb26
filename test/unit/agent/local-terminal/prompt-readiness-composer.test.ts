import fc from 'fast-check';
import { expect, test } from 'vitest';
import { composerContent, rowsToClear } from '../../../../src/agent/local-terminal/prompt-readiness.js';
import { claudeScreens } from '../../../../src/tools/claude/screens/claude-screens.js';
import type { FrameSignals } from '../../../../src/tools/screen/frame-signals.js';
import { mayI } from '../../../support/terminal/planted-frames.js';

/** A screen of which nothing is understood, with what a test wants seen in it. */
const nothing = claudeScreens.profileFor('2.1.330').detect({ rows: [], at: 0 }, []);
const seen = (signals: Partial<FrameSignals>): FrameSignals => ({ ...nothing, ...signals });
const draft = (promptText: string | null) => seen({ editingInput: 'yes', promptText });

test.each<[FrameSignals, string, string]>([
  [seen({ editingInput: 'no' }), 'hello', 'empty'],
  [draft('hello'), 'hello', 'ours'],
  [draft('one two\nthree'), 'one\n  two three', 'ours'],
  [draft('[Pasted text #1 +60 lines]'), 'line\n'.repeat(60), 'ours'],
  [draft('[Pasted Content 1731 chars]'), 'hello', 'foreign'],
  [draft('zerowidth e\u0301 👩‍👩‍👧‍'), 'zero\u200bwidth \u00e9 👩‍👩‍👧‍👦', 'ours'],
  [draft('hello there'), 'hello', 'foreign'],
  [draft('hell'), 'hello', 'foreign'],
  [draft('see [Pasted text #1 +60 lines]'), 'hello', 'foreign'],
  [draft(null), 'hello', 'unknown'],
  [seen({ editingInput: 'unknown' }), 'hello', 'unknown'],
  [{ ...draft('hello'), dialog: mayI() }, 'hello', 'unknown'],
])('%#: whose text it is', (signals, pasted, content) => {
  expect(composerContent(signals, pasted)).toBe(content);
});

test('a text is ours however its blanks were changed; with anything before or behind it, it is not', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 10 });
  const blank = fc.constantFrom(' ', '\n', '\t', '  \n ');
  fc.assert(
    fc.property(words, blank, blank, (said, one, other) => {
      expect(composerContent(draft(said.join(one)), said.join(other))).toBe('ours');
      expect(composerContent(draft(`${said.join(one)}X`), said.join(other))).toBe('foreign');
      expect(composerContent(draft(`X${said.join(one)}`), said.join(other))).toBe('foreign');
    }),
  );
});

test('of a long text a long part is enough', () => {
  const long = 'word '.repeat(200);
  expect(composerContent(draft(long.slice(300, 700)), long)).toBe('ours');
  expect(composerContent(draft(long.slice(300, 400)), long)).toBe('foreign');
});

test('of a wide or folded text two rows are enough, with the marks of a composer that scrolls', () => {
  const wide = Array.from({ length: 60 }, (_, n) => `漢字${n}全角`).join('');
  const rows = [wide.slice(100, 149), wide.slice(149, 198)];
  expect(composerContent(draft(`${rows[0]} ↑\n${rows[1]}`), wide)).toBe('ours');
  expect(composerContent(draft(`${rows[0]}X\n${rows[1]}`), wide)).toBe('foreign');
  expect(composerContent(draft(rows[0]!), wide)).toBe('foreign');
  expect(composerContent(draft('move ↑\nstop'), 'move ↑ stop')).toBe('ours');
});

test('what is left of a text while it is cleared is ours, and nothing else', () => {
  const text = 'one\ntwo\nthree';
  const cleared = { cleared: true };
  expect(['one', 'one\nt', text].map((left) => composerContent(draft(left), text, cleared))).toEqual([
    ...['ours', 'ours', 'ours'],
  ]);
  expect(composerContent(draft('four'), text, cleared)).toBe('foreign');
  expect(composerContent(draft('one'), text)).toBe('foreign');
});

test('as many rows are cleared as the text may have, seen or not', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}`).join('\n');
  expect(rowsToClear(draft(lines(3)), lines(15))).toBe(15);
  expect(rowsToClear(draft('folded\nin\nrows'), 'folded in rows')).toBe(3);
  expect(rowsToClear(draft('[Pasted text #1 +400 lines]'), lines(401))).toBe(1);
  expect(rowsToClear(draft(lines(5)), lines(4000))).toBe(300);
});

test('of a text that is taller than its composer the rows that are seen are enough', () => {
  const rows = Array.from({ length: 32 }, (_, n) => `line ${n}`);
  expect(composerContent(draft(rows.slice(28).join('\n')), rows.join('\n'))).toBe('ours');
  // One row, or another text, may be anybody's.
  expect(composerContent(draft('line 31'), rows.join('\n'))).toBe('foreign');
  expect(composerContent(draft('line 30\nline 33'), rows.join('\n'))).toBe('foreign');
  expect(composerContent(draft(rows.slice(0, 2).join('\n')), rows.slice(0, 2).join(' '))).toBe('ours');
});
