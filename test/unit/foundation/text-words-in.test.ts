import { expect, test } from 'vitest';
import { wordsIn } from '../../../src/foundation/text.js';

test.each([
  ['open', 'accepted'],
  ['of_a_later_release', 'of a later release'],
  // Every object has it.
  ['constructor', 'constructor'],
])('%s is %s to people', (word, shown) => {
  expect(wordsIn({ open: 'accepted' }, word)).toBe(shown);
});
