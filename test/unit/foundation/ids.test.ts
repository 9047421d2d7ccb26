import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toCompactStamp, toSecondStamp } from '../../../src/foundation/clock.js';
import { drawnHex, newTurnId, requestIds } from '../../../src/foundation/ids.js';

test('drawn bytes are never given twice, also when the pool is drawn again', () => {
  const random = drawnHex();
  const seen = new Set<string>();
  // 1024 bytes are no multiple of 12.
  for (let n = 0; n < 1000; n += 1) {
    const text = random(12);
    expect(text).toMatch(/^[0-9a-f]{24}$/);
    seen.add(text);
  }
  expect(seen.size).toBe(1000);
});

test('two pools have nothing in common', () => {
  expect(drawnHex()(32)).not.toBe(drawnHex()(32));
});

test('ids look as they are stored', () => {
  const now = new Date('2026-03-13T01:02:03.987Z');
  expect(requestIds()(now)).toMatch(/^gwreq-20260313-010203Z-[0-9a-f]{8}$/);
  expect(newTurnId()).toMatch(/^turn-[0-9a-f]{12}$/);
  expect([toSecondStamp(now), toCompactStamp(now)]).toEqual(['2026-03-13T01:02:03+00:00', '20260313-010203']);
});

test('request ids sort by the millisecond, whatever is drawn', () => {
  const moments = fc.uniqueArray(
    fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
    {
      selector: Number,
      minLength: 2,
      maxLength: 2,
    },
  );
  const draws = fc.tuple(fc.nat(0xffffff), fc.nat(0xffffff));
  fc.assert(
    fc.property(moments, draws, (dates, numbers) => {
      const drawn = numbers.map((number) => number.toString(16).padStart(6, '0'));
      const newId = requestIds(() => drawn.pop() ?? '');
      const ids = dates.sort((a, b) => Number(a) - Number(b)).map(newId);
      expect(ids.toSorted()).toEqual(ids);
      for (const id of ids) expect(id).toMatch(/^gwreq-\d{8}-\d{6}Z-[0-9a-f]{8}$/);
    }),
  );
});

test('a draw that differs gives another id within the same millisecond', () => {
  const now = new Date();
  const draws = ['000000', '000001', '3fffff'];
  const newId = requestIds(() => draws.pop() ?? '');
  expect(new Set([newId(now), newId(now), newId(now)]).size).toBe(3);
});
