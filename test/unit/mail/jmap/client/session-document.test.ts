import { expect, test } from 'vitest';
import { readSession, stalwartCapability } from '../../../../../src/mail/jmap/client/session.js';
import { recordedPair } from '../../../../support/jmap/stalwart-records.js';

const core = (limits: object) => ({ 'urn:ietf:params:jmap:core': limits });
const document = {
  capabilities: core({
    maxSizeUpload: 1000,
    maxSizeRequest: 2000,
    maxConcurrentRequests: 20,
    maxObjectsInGet: 100,
    maxObjectsInSet: 900,
  }),
  accounts: { a1: {}, a2: {} },
  primaryAccounts: { 'urn:ietf:params:jmap:mail': 'a2' },
  apiUrl: '/jmap/',
  uploadUrl: '/up/{accountId}/',
  downloadUrl: '/down/{accountId}/{blobId}',
};

test('names the account of the mail, and bounds what is asked at once', () => {
  expect(readSession(document, 'server')).toEqual({
    capabilities: ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail'],
    accountId: 'a2',
    apiUrl: '/jmap/',
    uploadUrl: '/up/{accountId}/',
    downloadUrl: '/down/{accountId}/{blobId}',
    eventSourceUrl: null,
    limits: {
      sizeUpload: 1000,
      sizeRequest: 2000,
      concurrentRequests: 4,
      objectsInGet: 100,
      objectsInSet: 500,
    },
  });
});

test('a Stalwart says at the accounts alone that it can be managed, and to nobody who is not let in', () => {
  const { body } = recordedPair('session', 'an administrator').answer;
  expect(Object.keys((body as typeof document).capabilities)).not.toContain(stalwartCapability);
  expect(readSession(body, 'server').capabilities).toContain(stalwartCapability);
  const nobody = recordedPair('session', 'without Authorization').answer.body;
  expect(() => readSession(nobody, 'server')).toThrow(/has no mail account for this credential/);
});

test.each([
  [{ 'urn:ietf:params:jmap:submission': 'a1' }, 'a1'],
  [{}, 'a1'],
])('without a primary account of the mail, that of %o', (primaryAccounts, accountId) => {
  expect(readSession({ ...document, primaryAccounts }, 'server').accountId).toBe(accountId);
});

test('limits that are missing or nonsense are ours', () => {
  for (const capabilities of [
    {},
    core({}),
    core({ maxConcurrentRequests: 0 }),
    core({ maxObjectsInGet: 'many' }),
  ])
    expect(readSession({ ...document, capabilities }, 'server').limits).toEqual({
      sizeUpload: 50 * 1024 * 1024,
      sizeRequest: null,
      concurrentRequests: 4,
      objectsInGet: 500,
      objectsInSet: 500,
    });
});

test('a server that lets everybody in, and gives nobody an account, does not know the caller', () => {
  const anybody = { ...document, accounts: {}, primaryAccounts: {} };
  expect(() => readSession(anybody, 'server')).toThrow(
    expect.objectContaining({
      code: 'unauthorized',
      message: 'server has no mail account for this credential',
    }),
  );
});

test.each([
  [undefined],
  [null],
  ['text'],
  [[]],
  [{}],
  [{ ...document, apiUrl: '' }],
  [{ ...document, accounts: 3 }],
])('%o is no session', (value) => {
  expect(() => readSession(value, 'server')).toThrow(expect.objectContaining({ code: 'server_refused' }));
});
