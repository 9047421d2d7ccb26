import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TerminalSnapshot } from '../../../../src/terminal/tracker/terminal-state.js';
import { SnapshotHistory } from '../../../../src/terminal/tracker/terminal-tracker.js';
import { idleState } from '../../../support/terminal/planted-state.js';

const idle: TerminalSnapshot = { ...idleState(), probe: null };
const numbered = (number: number): TerminalSnapshot => ({ ...idle, recordedAt: new Date(number) });
const numbers = (entries: readonly TerminalSnapshot[]) =>
  entries.map(({ recordedAt }) => recordedAt.getTime());
const sized = (number: number, characters: number): TerminalSnapshot => ({
  ...numbered(number),
  parsed: {
    ...idle.parsed!,
    text: { normalized: 'x'.repeat(characters), dialog: '', conversation: '', head: '', tail: '' },
  },
});

describe('the history of snapshots', () => {
  it('keeps the newest thousand, and gives the newest of them or all', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2500 }), fc.integer({ min: -5, max: 1500 }), (count, limit) => {
        const history = new SnapshotHistory();
        for (let number = 0; number < count; number += 1) history.add(numbered(number));
        const kept = Math.min(count, 1000);
        const given = limit > 0 ? Math.min(limit, kept) : kept;
        const expected = Array.from({ length: given }, (_, index) => count - given + index);
        expect(numbers(history.newest(limit))).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });

  it('gives a list that does not change afterwards', () => {
    const history = new SnapshotHistory();
    history.add(numbered(1));
    const given = history.newest(0);
    history.add(numbered(2));
    expect(numbers(given)).toEqual([1]);
  });

  it('drops the oldest when their texts become too much, but never the newest', () => {
    const history = new SnapshotHistory({ mostText: 100 });
    for (let number = 0; number < 5; number += 1) history.add(sized(number, 30));
    expect(numbers(history.newest(0))).toEqual([2, 3, 4]);
    history.add(sized(5, 1000));
    expect(numbers(history.newest(0))).toEqual([5]);
    history.add(sized(6, 10));
    expect(numbers(history.newest(0))).toEqual([6]);
  });

  it('counts a text that stays once, also when the first that has it is dropped', () => {
    const history = new SnapshotHistory({ mostText: 100 });
    const large = sized(0, 60);
    for (let number = 0; number < 1005; number += 1) history.add({ ...large, recordedAt: new Date(number) });
    expect(history.newest(0)).toHaveLength(1000);
    history.add(sized(2000, 30));
    expect(history.newest(0)).toHaveLength(1000);
    history.add(sized(2001, 30));
    expect(numbers(history.newest(0))).toEqual([2000, 2001]);
  });
});
