import { expect, test } from 'vitest';
import { againWords, type PromptFlags } from '../../../../src/cli/flags/work-flags.js';

const flags: PromptFlags = { wait: true, silenceLimit: 60 };

test.each<[Partial<PromptFlags>, string, string]>([
  [{}, "it's", "-- 'it'\\''s'"],
  [{ file: '-' }, '-v', '-- -v'],
  [{ file: 'a b.txt', model: 'opus', new: true }, 'x', "--model opus --new --file 'a b.txt'"],
  [{ deadline: new Date('2026-03-13T12:00:00Z') }, 'x', '--deadline 2026-03-13T12:00:00.000Z -- x'],
  [{ reasoning: 2 }, 'x'.repeat(2000), '--reasoning 2 --file <a file with the same text>'],
])('a prompt with %j and the text %s is given again as %s', (more, text, words) => {
  expect(againWords({ ...flags, ...more }, text)).toBe(words);
});
