import { expect, test } from 'vitest';
import { parseMailStamp, toCompactMailStamp, toMailStamp } from '../../../../src/mail/message/message-id.js';

test('stamps have whole seconds', () => {
  const date = new Date('2026-03-13T09:15:30.999Z');
  expect([toMailStamp(date), toCompactMailStamp(date)]).toEqual(['2026-03-13T09:15:30Z', '20260313T091530Z']);
});

test.each([
  ['2026-03-13T09:15:30Z', '2026-03-13T09:15:30Z'],
  ['2026-03-13T09:15:30.999999Z', '2026-03-13T09:15:30Z'],
  ['2026-03-13 09:15:30Z', '2026-03-13T09:15:30Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
  ['2026-02-29T00:00:00Z', null],
  ['2026-03-13T24:00:00Z', null],
  ['2026-03-13T09:15:30z', null],
  ['2026-03-13T09:15:30+00:00', null],
  ['2026-03-13T09:15Z', null],
  ['../../03-13T09:15:30Z', null],
])('%s is %s', (text, stamp) => {
  expect(parseMailStamp(text)).toBe(stamp);
});
