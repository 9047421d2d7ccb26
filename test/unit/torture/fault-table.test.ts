import { expect, test } from 'vitest';
import type { Answer, Facts, SentPrompt, Violation } from '../../torture/terminal/facts.js';
import type { FaultRow, Outcome } from '../../torture/terminal/faults/fault-row.js';
import { faultTable, isAsWanted } from '../../torture/terminal/faults/fault-table.js';
import { faultRows } from '../../torture/terminal/faults/rows.js';

const refusedAfter = (milliseconds: number): SentPrompt => ({
  tag: 'tagx1x1x',
  door: 'direct',
  forced: false,
  shape: 'short',
  prompt: 'say tagx1x1x',
  answer: { kind: 'refused', status: 422, code: 'dispatch_failed', detail: 'No.' },
  milliseconds,
});
const outcome = (prompts: readonly SentPrompt[], violations: readonly Violation[] = []): Outcome => ({
  facts: {
    prompts,
    requests: [],
    turns: [],
    events: [],
    reminders: [],
    ledger: [],
    personKeys: [],
    drafts: [],
    blindMilliseconds: 0,
    interruptsAsked: [],
    shell: '',
    gatewaysKilled: 0,
  } satisfies Facts,
  violations,
  wasReady: true,
});
const row = (more: Partial<FaultRow> = {}): FaultRow => ({
  name: 'a fault',
  switches: [],
  play: async () => undefined,
  counts: [],
  refusalLimit: null,
  ...more,
});
const lastLine = (of: FaultRow, outcomes: readonly Outcome[]) =>
  faultTable([{ row: of, outcomes }])
    .split('\n')
    .at(-1);

test('a row has a line with the sums of its counts; what is not as it was wanted is bold', () => {
  const lost = { name: 'lost', most: 2, wanted: 'none', of: () => 1 } as const;
  const works = { name: 'works', most: 1, wanted: 'all', of: () => 1 } as const;
  const outcomes = [outcome([]), outcome([])];
  expect(lastLine(row({ counts: [lost, works] }), outcomes)).toBe(
    '| a fault | 2 | **2 of 4 lost**, 2 of 2 works |  | 0 |',
  );
  expect(isAsWanted([{ row: row({ counts: [works] }), outcomes }])).toBe(true);
  expect(isAsWanted([{ row: row({ counts: [works, lost] }), outcomes }])).toBe(false);
  expect(isAsWanted([{ row: row({ counts: [{ ...works, of: () => 0 }] }), outcomes }])).toBe(false);
  expect(isAsWanted([{ row: row(), outcomes: [] }])).toBe(false);
});

test('the slowest refusal counts where there is a limit for it', () => {
  const outcomes = [outcome([refusedAfter(1200)]), outcome([refusedAfter(4870)])];
  expect(lastLine(row(), outcomes)).toBe('| a fault | 2 |  |  | 0 |');
  expect(lastLine(row({ refusalLimit: 5000 }), outcomes)).toContain('| 4.87 s of 2 refused |');
  expect(lastLine(row({ refusalLimit: 4000 }), outcomes)).toContain('| **4.87 s of 2 refused** |');
  expect(lastLine(row({ refusalLimit: 4000 }), [outcome([])])).toContain('| none refused |');
  expect(isAsWanted([{ row: row({ refusalLimit: 4000 }), outcomes }])).toBe(false);
});

test('a broken promise is none of any row', () => {
  const outcomes = [outcome([], [{ kind: 'doubled', what: 'twice' }])];
  expect(lastLine(row(), outcomes)).toBe('| a fault | 1 |  |  | **1** |');
  expect(isAsWanted([{ row: row(), outcomes }])).toBe(false);
});

test('what was answered as sent and never taken is counted as such', () => {
  const sent: Answer = { kind: 'sent', turnId: 't1' };
  const [swallowed] = faultRows;
  const [count] = swallowed?.counts ?? [];
  expect(count?.name).toBe('false "sent"');
  expect(count?.of(outcome([{ ...refusedAfter(0), answer: sent }]))).toBe(1);
  expect(count?.of(outcome([refusedAfter(0)]))).toBe(0);
});
