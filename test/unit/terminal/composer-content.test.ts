import fc from 'fast-check';
import { expect, test } from 'vitest';
import { composerContent } from '../../../src/terminal/composer-content.js';
import { claudeScreens } from '../../../src/tools/claude/screens/claude-screens.js';
import type { FrameSignals } from '../../../src/tools/screen/frame-signals.js';
import { mayI } from '../../support/terminal/planted-frames.js';

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

test('of a text that is taller than its composer the rows that are seen are enough', () => {
  const rows = Array.from({ length: 32 }, (_, n) => `line ${n}`);
  expect(composerContent(draft(rows.slice(28).join('\n')), rows.join('\n'))).toBe('ours');
  // One row, or another text, may be anybody's.
  expect(composerContent(draft('line 31'), rows.join('\n'))).toBe('foreign');
  expect(composerContent(draft('line 30\nline 33'), rows.join('\n'))).toBe('foreign');
  expect(composerContent(draft(rows.slice(0, 2).join('\n')), rows.slice(0, 2).join(' '))).toBe('ours');
});
