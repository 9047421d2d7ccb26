import { expect, test } from 'vitest';
import { shownText } from '../../../../src/agent/local-terminal/prompt-readiness.js';

test.each([
  ['blanks and line ends', 'one\n  two', 'onetwo'],
  ['marks, composed or not', 'e\u0301 \u00e9 a\u0308\u0323', 'eea'],
  ['zero width and direction', 'zero\u200bwidth \u202eback\u202c \ufeff', 'zerowidthback'],
  ['emoji that are joined, coloured or flags', 'a 👩‍👩‍👧‍👦 👍🏽 🇩🇪 b', 'ab'],
  ['wide characters', '漢字 ｆｕｌｌ', '漢字full'],
])('%s', (_what, text, shown) => {
  expect(shownText(text)).toBe(shown);
});
