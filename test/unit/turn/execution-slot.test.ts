import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { ExecutionSlot, type SlotHolder } from '../../../src/turn/execution-slot.js';

const turn = (turnId: string): SlotHolder => ({ turnId, origin: 'queue' as SlotHolder['origin'] });
let changes: number;
let slot: ExecutionSlot;
beforeEach(() => {
  changes = 0;
  slot = new ExecutionSlot(() => {
    changes += 1;
  });
});

describe('the execution slot (decision 44)', () => {
  it('has one holder at a time', () => {
    expect(slot.tryTake(turn('a'))).toBe(true);
    expect(slot.tryTake(turn('b'))).toBe(false);
    expect(slot.holder?.turnId).toBe('a');
    slot.release('b');
    expect(slot.holder?.turnId).toBe('a');
    slot.release('a');
    expect([slot.free, changes]).toEqual([true, 2]);
  });

  it('nobody slips in between a forced prompt and the turn it ended', () => {
    slot.tryTake(turn('old'));
    const reservation = slot.tryReserve();
    expect(slot.tryReserve()).toBeNull();
    expect(() => reservation?.take(turn('forced'))).toThrow(/still held by old/);
    slot.release('old');
    expect([slot.free, slot.tryTake(turn('queued'))]).toEqual([false, false]);
    reservation?.take(turn('forced'));
    expect(slot.holder?.turnId).toBe('forced');
    slot.release('forced');
    expect(slot.tryTake(turn('queued'))).toBe(true);
  });

  it('a right that is given back leaves the slot as it was, and says so', () => {
    const reservation = slot.tryReserve();
    expect(slot.free).toBe(false);
    reservation?.cancel();
    expect([slot.free, changes]).toEqual([true, 1]);
    expect(slot.tryReserve()).not.toBeNull();
  });

  it('a failed take keeps the right', () => {
    slot.tryTake(turn('old'));
    const reservation = slot.tryReserve();
    expect(() => reservation?.take(turn('forced'))).toThrow();
    slot.release('old');
    expect(slot.tryTake(turn('queued'))).toBe(false);
  });

  it('is what its drawing says, whatever the order of calls', () => {
    const calls = fc.array(fc.constantFrom('take', 'reserve', 'use', 'cancel', 'release'), { maxLength: 40 });
    fc.assert(
      fc.property(calls, (steps) => {
        const tested = new ExecutionSlot(() => undefined);
        let held: string | null = null;
        let right: ReturnType<ExecutionSlot['tryReserve']> = null;
        for (const [index, step] of steps.entries()) {
          const id = `t${index}`;
          if (step === 'take') {
            const may: boolean = held === null && right === null;
            expect(tested.tryTake(turn(id))).toBe(may);
            if (may) held = id;
          } else if (step === 'reserve') {
            const got = tested.tryReserve();
            expect(got === null).toBe(right !== null);
            right ??= got;
          } else if (step === 'use' && right && held === null) {
            right.take(turn(id));
            [held, right] = [id, null];
          } else if (step === 'cancel' && right) {
            right.cancel();
            right = null;
          } else if (step === 'release' && held) {
            tested.release(held);
            held = null;
          }
          expect(tested.holder?.turnId ?? null).toBe(held);
          expect(tested.free).toBe(held === null && right === null);
        }
      }),
    );
  });
});
