import { expect, test } from 'vitest';
import { drawnHex, newRequestId, newTurnId } from '../../../src/foundation/ids.js';
import { toCompactStamp, toSecondStamp } from '../../../src/foundation/timestamps.js';

test('drawn bytes are never given twice, also when the pool is drawn anew', () => {
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
  expect(newRequestId(now)).toMatch(/^gwreq-20260313-010203Z-[0-9a-f]{8}$/);
  expect(newRequestId(now, drawnHex())).toMatch(/^gwreq-20260313-010203Z-[0-9a-f]{8}$/);
  expect(newTurnId()).toMatch(/^turn-[0-9a-f]{12}$/);
  expect([toSecondStamp(now), toCompactStamp(now)]).toEqual(['2026-03-13T01:02:03+00:00', '20260313-010203']);
});
