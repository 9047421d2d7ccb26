import { expect, test } from 'vitest';
import { beginning, readPlace, streamName } from '../../../../src/fleet/events/event-reader.js';

const stream = streamName('2026-03-13T00:00:00.5Z');
const range = { first: 10, last: 20 };

test.each<[what: string, after: string | undefined, from: number, hasGap: boolean]>([
  ['nothing', undefined, 10, false],
  ['0', '0', 10, false],
  ['a place in the stream', `${stream}-15`, 16, false],
  ['the last place', `${stream}-20`, 21, false],
  ['the place before the first that is kept', `${stream}-9`, 10, false],
  ['a place that is not kept any more', `${stream}-8`, 10, true],
  ['a place behind the last one', `${stream}-21`, 10, true],
  ['a place of an earlier stream', 'abc-15', 10, true],
])(
  'behind %s it begins where the events go on, or says that some are missing',
  (_what, after, from, hasGap) => {
    const found = beginning(readPlace(after), stream, range);
    expect([found.from, found.gap !== null]).toEqual([from, hasGap]);
  },
);

test('a stream that is made again has another name', () => {
  expect(streamName('2026-03-13T00:00:01Z')).not.toBe(stream);
});
