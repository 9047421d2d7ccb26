import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ExecutionSlot, type Reservation } from '../../../src/turn/live-turn.js';

const holder = (turnId: string) => ({ turnId, origin: 'queue' as const });

test('one holder; only it frees the slot', () => {
  let changes = 0;
  const slot = new ExecutionSlot(() => {
    changes += 1;
  });
  expect(slot.tryTake(holder('a'))).toBe(true);
  expect(slot.tryTake(holder('b'))).toBe(false);
  slot.release('b');
  expect(slot.holder?.turnId).toBe('a');
  slot.release('a');
  expect(slot.free).toBe(true);
  expect(changes).toBe(2);
});

test('a reservation comes before all others, and only one is given', () => {
  const slot = new ExecutionSlot(() => undefined);
  slot.tryTake(holder('a'));
  const reservation = slot.tryReserve();
  expect(slot.tryReserve()).toBeNull();
  expect(() => reservation?.take(holder('b'))).toThrow(/still held by a/);
  slot.release('a');
  expect(slot.free).toBe(false);
  expect(slot.tryTake(holder('c'))).toBe(false);
  reservation?.take(holder('b'));
  expect(slot.holder?.turnId).toBe('b');
});

test('a cancelled reservation wakes what waits', () => {
  let changes = 0;
  const slot = new ExecutionSlot(() => {
    changes += 1;
  });
  slot.tryReserve()?.cancel();
  expect(slot.free).toBe(true);
  expect(changes).toBe(1);
});

test('in any order of calls there is at most one holder, and a reserved slot is taken only by its reservation', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('take', 'release', 'reserve', 'takeReserved', 'cancel'), { maxLength: 30 }),
      (calls) => {
        const slot = new ExecutionSlot(() => undefined);
        let held: string | null = null;
        let reservation: Reservation | null = null;
        calls.forEach((call, index) => {
          const id = `t${index}`;
          if (call === 'take') {
            const allowed = held === null && reservation === null;
            expect(slot.tryTake(holder(id))).toBe(allowed);
            if (allowed) held = id;
          }
          if (call === 'release' && held !== null) {
            slot.release(held);
            held = null;
          }
          if (call === 'reserve') {
            const given = slot.tryReserve();
            expect(given === null).toBe(reservation !== null);
            reservation ??= given;
          }
          if (call === 'takeReserved' && reservation && held === null) {
            reservation.take(holder(id));
            [held, reservation] = [id, null];
          }
          if (call === 'cancel' && reservation) {
            reservation.cancel();
            reservation = null;
          }
          expect(slot.holder?.turnId ?? null).toBe(held);
          expect(slot.free).toBe(held === null && reservation === null);
        });
      },
    ),
  );
});
