import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rememberLast } from '../../../src/foundation/text.js';

test('the answers are those of the function, and the same question twice in a row is asked once', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c')), (questions) => {
      const asked: string[] = [];
      const remembering = rememberLast((question: string) => {
        asked.push(question);
        return question.toUpperCase();
      });
      const answers = questions.map(remembering);
      expect(answers).toEqual(questions.map((question) => question.toUpperCase()));
      expect(asked).toEqual(questions.filter((question, index) => question !== questions[index - 1]));
    }),
  );
});

test('an error is not remembered', () => {
  let working = false;
  const remembering = rememberLast(() => {
    if (!working) throw new Error('not yet');
    return 1;
  });
  expect(() => remembering('a')).toThrow('not yet');
  working = true;
  expect(remembering('a')).toBe(1);
});
