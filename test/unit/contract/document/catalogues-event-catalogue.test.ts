import { expect, test } from 'vitest';
import { eventCatalogue } from '../../../../src/contract/document/catalogues.js';
import { smallContract } from '../../page/small-contract.js';

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
