import { expect, test } from 'vitest';
import { denialOf, problemOf, saidIn } from '../../../../../src/mail/jmap/client/failed-request.js';
import { recordedPair } from '../../../../support/jmap/stalwart-records.js';

const answered = (status: number, body: unknown, headers: Record<string, string> = {}) => ({
  status,
  headers: new Headers(headers),
  bytes: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});
const recorded = (...which: Parameters<typeof recordedPair>) => {
  const { status, body, headers } = recordedPair(...which).answer;
  return answered(status, body, headers);
};

test.each([
  [
    'more than 50 MB',
    ': Quota exceeded, You have exceeded the blob upload quota of 1000 files or 50000000 bytes. (again in 51 min)',
  ],
  [
    'more than 1000 requests',
    ': Too Many Requests, Your request has been rate limited. Please try again in a few seconds. (again in 20 s)',
  ],
  ['from then on everybody', ': Forbidden'],
])('a Stalwart is repeated in its own words: %s', (shows, said) => {
  expect(saidIn(recorded('limits', shows), [])).toBe(said);
});

test.each([
  ['a type that is blank, and a secret', { type: 'about:blank', detail: 'no sesame' }, {}, ': no ***'],
  ['a type and a limit', { type: 'urn:x', limit: 'maxSizeUpload' }, {}, ': urn:x, maxSizeUpload'],
  ['a title that is the detail', { type: 'urn:x', title: 'No', detail: 'No' }, {}, ': urn:x, No'],
  ['nothing but a time', 'no JSON', { 'retry-after': '121' }, ' (again in 3 min)'],
  ['a time of 0', {}, { 'retry-after': '0' }, ''],
  ['nothing', { error: 'x' }, {}, ''],
])('%s', (_what, body, headers, said) => {
  expect(saidIn(answered(400, body, headers), ['sesame'])).toBe(said);
});

test('a caller that is not let in is recognised by the whole answer', () => {
  expect(denialOf(recorded('limits', 'the 101st'))).toBe('caller');
  expect(denialOf(recorded('limits', 'more than 50 MB'))).toBeNull();
  expect(problemOf(answered(500, '<html>'))).toBeNull();
});
