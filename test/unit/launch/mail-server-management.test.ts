import { expect, test } from 'vitest';
import { managementEnvironment, takeManagement } from '../../../src/launch/mail-server.js';

const token = 'HOUMAO_STALWART_MANAGEMENT_BEARER_TOKEN';
const key = 'HOUMAO_STALWART_MANAGEMENT_API_KEY';
const secret = 'HOUMAO_STALWART_MANAGEMENT_API_SECRET';
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

test.each([
  ['a token', { [token]: ' t0ken ' }, { authorization: 'Bearer t0ken', secrets: ['t0ken'] }],
  [
    'a token before a key',
    { [token]: 't', [key]: 'k', [secret]: 's' },
    { authorization: 'Bearer t', secrets: ['t'] },
  ],
  [
    'a key with its secret',
    { [key]: 'k', [secret]: 's:s' },
    { authorization: basic('k:s:s'), secrets: ['s:s', basic('k:s:s').slice('Basic '.length)] },
  ],
  ['nothing without its secret', { [key]: 'k' }, null],
  ['nothing by blanks', { [token]: ' ', [key]: 'k', [secret]: '' }, null],
  ['nothing where nothing is set', {}, null],
])('%s is taken out of an environment, and given to another', (_what, variables, management) => {
  const taken = takeManagement({ PATH: '/bin', HOUMAO_STALWART_BASE_URL: 'https://a', ...variables });
  expect(taken).toEqual({ management, rest: { PATH: '/bin', HOUMAO_STALWART_BASE_URL: 'https://a' } });
  expect(takeManagement(managementEnvironment(taken.management)).management).toEqual(management);
});

test('a token that no header can carry is refused without being shown', () => {
  expect(() => takeManagement({ [token]: 'se\ncret' })).toThrow(
    /^HOUMAO_STALWART_MANAGEMENT_BEARER_TOKEN has a character that no HTTP header can carry$/,
  );
});
