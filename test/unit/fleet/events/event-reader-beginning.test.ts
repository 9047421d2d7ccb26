import { expect, test } from 'vitest';
import { beginning, knowsAll, readPlace, streamName } from '../../../../src/fleet/events/event-reader.js';

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

const peer = (active: number, offline = false) => ({ name: 'nats2', current: true, active, offline, lag: 0 });
const heard = peer(900e6);
const silent = peer(4e9);

test.each<[what: string, cluster: Parameters<typeof knowsAll>[0]['cluster'], whether: boolean]>([
  ['a single server', undefined, true],
  ['the only one that has the stream', { leader: 'nats1' }, true],
  ['one that leads and hears one of two', { leader: 'nats1', replicas: [heard, silent] }, true],
  ['one that leads and hears nobody', { leader: 'nats1', replicas: [silent, silent] }, false],
  [
    'one that leads those that are gone',
    { leader: 'nats1', replicas: [peer(0, true), peer(0, true)] },
    false,
  ],
  ['one of those that have no leader', { replicas: [heard, heard] }, false],
])('%s is asked for the end of the stream, or not', (_what, cluster, whether) => {
  expect(knowsAll(cluster === undefined ? {} : { cluster })).toBe(whether);
});
