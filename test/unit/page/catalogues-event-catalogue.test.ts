import { expect, test } from 'vitest';
import { eventCatalogue } from '../../../src/page/catalogues.js';
import { smallContract } from './small-contract.js';

test('every kind of event is listed with its sentence and its data', () => {
  expect(eventCatalogue(smallContract)).toEqual([
    {
      kind: 'lent',
      sentence: 'A book was lent.',
      data: [{ name: 'book', description: 'Which one.' }],
    },
  ]);
  expect(eventCatalogue({ ...smallContract, components: {} })).toEqual([]);
});
