import { expect, test } from 'vitest';
import { errorCatalogue } from '../../../../src/contract/document/catalogues.js';
import { smallContract } from '../../page/small-contract.js';

test('every code is listed with its sentence, its statuses and the operations that answer it', () => {
  const reported = errorCatalogue(smallContract).map(({ operations, ...rest }) => ({
    ...rest,
    operations: operations.map(({ operationId }) => operationId),
  }));
  expect(reported).toEqual([
    {
      code: 'body_too_large',
      sentence: '',
      statuses: ['413'],
      scope: 'with body',
      operations: ['putBook', 'lend'],
    },
    {
      code: 'caller_refused',
      sentence: '',
      statuses: ['403'],
      scope: 'every',
      operations: ['getBook', 'putBook', 'listLoans', 'lend'],
    },
    {
      code: 'token_refused',
      sentence: 'The token is wrong.',
      statuses: ['401'],
      scope: 'every',
      operations: ['getBook', 'putBook', 'listLoans', 'lend'],
    },
    {
      code: 'unknown_book',
      sentence: 'There is no such book.',
      statuses: ['404'],
      scope: 'some',
      operations: ['getBook', 'putBook'],
    },
    {
      code: 'unknown_shelf',
      sentence: '',
      statuses: ['404'],
      scope: 'some',
      operations: ['putBook'],
    },
  ]);
});
