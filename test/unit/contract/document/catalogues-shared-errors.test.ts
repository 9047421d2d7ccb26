import { expect, test } from 'vitest';
import { sharedErrors } from '../../../../src/contract/document/catalogues.js';
import { smallContract } from '../../page/small-contract.js';

test('errors that every operation answers alike, or every one with a body, are listed once', () => {
  expect(sharedErrors(smallContract)).toEqual([
    { status: '401', withBody: false, codes: ['token_refused'], description: 'A token is needed.' },
    { status: '403', withBody: false, codes: ['caller_refused'], description: 'Not you.' },
    { status: '413', withBody: true, codes: ['body_too_large'], description: 'Too large.' },
  ]);
});

test('an operation alone shares nothing', () => {
  const { '/loans': loans } = smallContract.paths;
  expect(sharedErrors({ ...smallContract, paths: { '/loans': { get: loans!.get! } } })).toEqual([]);
});
