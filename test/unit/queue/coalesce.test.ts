import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blockLength, type PendingRow, planCoalescing } from '../../../src/gateway/requests/coalesce.js';

const rowsOf = (...texts: string[]): PendingRow[] =>
  texts.map((text, index) =>
    text === 'interrupt'
      ? { requestId: `r${index + 1}`, kind: 'interrupt', prompt: null, epoch: 1 }
      : { requestId: `r${index + 1}`, kind: 'submit_prompt', prompt: text, epoch: 1 },
  );

/** §2.5 once more, written from its text and not from the code: one pass that keeps counts. */
function model(rows: readonly PendingRow[]) {
  const ranks = ['/compact', '/clear', '/new'];
  const rankOf = (row: PendingRow): number | null => {
    if (row.kind === 'interrupt') return 0;
    if (row.kind !== 'submit_prompt' || row.prompt === null) return null;
    const rank = ranks.indexOf(row.prompt.trim());
    return rank < 0 ? null : rank + 1;
  };
  let length = 0;
  let interrupt = -1;
  let context = -1;
  for (const row of rows) {
    const rank = rankOf(row);
    if (rank === null || row.epoch !== rows[0]?.epoch) break;
    if (rank === 0 && interrupt < 0) interrupt = length;
    const best = context < 0 ? 0 : (rankOf(rows[context]!) ?? 0);
    if (rank > 0 && rank >= best) context = length;
    length += 1;
  }
  if (length === 0) return null;
  const label = (row: PendingRow): string =>
    row.kind === 'interrupt' ? 'interrupt' : `submit_prompt:${row.prompt?.trim()}`;
  const kept = [interrupt, context].filter((index) => index >= 0);
  const superseded = [];
  for (let index = 0; index < length; index += 1) {
    if (kept.includes(index)) continue;
    const row = rows[index]!;
    const into = row.kind === 'interrupt' ? interrupt : context;
    superseded.push({
      requestId: row.requestId,
      intoRequestId: rows[into]!.requestId,
      originalAction: label(row),
    });
  }
  return {
    nextRequestId: rows[kept[0]!]!.requestId,
    effectiveRequestIds: kept.map((index) => rows[index]!.requestId).sort(),
    effectiveActions: kept.map((index) => label(rows[index]!)),
    superseded,
  };
}

const anyRow = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant('submit_prompt') },
    { weight: 3, arbitrary: fc.constant('interrupt') },
    { weight: 1, arbitrary: fc.constantFrom('mail_notifier_prompt', 'toString', 'unheard_of') },
  ),
  prompt: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom('/compact', '/clear', '/new', ' /new\n', '\t/clear ') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(null, '', '/New', '/new now', '//new', 'constructor', '/compact/clear'),
    },
  ),
  epoch: fc.oneof({ weight: 12, arbitrary: fc.constant(3) }, { weight: 1, arbitrary: fc.constantFrom(2, 4) }),
});
const anyRows = fc
  .uniqueArray(fc.stringMatching(/^[a-z0-9]{1,4}$/), { maxLength: 14 })
  .chain((ids) =>
    fc.tuple(...ids.map((requestId) => anyRow.map((row): PendingRow => ({ requestId, ...row })))),
  );

describe('coalescing (gateway §2.5)', () => {
  it('agrees with the text of the contract for every queue', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        expect(planCoalescing(rows)).toEqual(model(rows));
      }),
      { numRuns: 2000 },
    );
  });

  it('leaves nothing to supersede when its plan was carried out', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const gone = new Set(planCoalescing(rows)?.superseded.map(({ requestId }) => requestId));
        const left = rows.filter(({ requestId }) => !gone.has(requestId));
        // A block that shrank may now touch nothing new: what ended it still stands behind it.
        expect(planCoalescing(left)?.superseded ?? []).toEqual([]);
      }),
    );
  });

  it('a mixed block runs the first interrupt, then the last strongest context command', () => {
    expect(
      planCoalescing(rowsOf('/compact', 'interrupt', '/clear', '/new', 'interrupt', '/compact')),
    ).toEqual({
      nextRequestId: 'r2',
      effectiveRequestIds: ['r2', 'r4'],
      effectiveActions: ['interrupt', 'submit_prompt:/new'],
      superseded: [
        { requestId: 'r1', intoRequestId: 'r4', originalAction: 'submit_prompt:/compact' },
        { requestId: 'r3', intoRequestId: 'r4', originalAction: 'submit_prompt:/clear' },
        { requestId: 'r5', intoRequestId: 'r2', originalAction: 'interrupt' },
        { requestId: 'r6', intoRequestId: 'r4', originalAction: 'submit_prompt:/compact' },
      ],
    });
  });

  it.each([
    [['/compact', '/compact', '/compact'], 'r3', ['r1', 'r2']],
    [['interrupt', 'interrupt', 'interrupt'], 'r1', ['r2', 'r3']],
    [['/new', '/clear', '/compact'], 'r1', ['r2', 'r3']],
    [[' /new\n', 'hello', '/new'], 'r1', []],
    [['interrupt', 'hello', 'interrupt'], 'r1', []],
  ])('%j runs %s and supersedes %j', (texts, next, gone) => {
    const plan = planCoalescing(rowsOf(...texts));
    expect(plan?.nextRequestId).toBe(next);
    expect(plan?.superseded.map(({ requestId }) => requestId)).toEqual(gone);
  });

  it.each([[[]], [['hello', '/new']], [['/NEW']], [['/compact please', 'interrupt']]])(
    'has no plan for %j',
    (texts) => expect(planCoalescing(rowsOf(...texts))).toBeNull(),
  );

  it('does not take the text of another kind for a command', () => {
    const rows = rowsOf('/new', '/new').map((row) => ({ ...row, kind: 'mail_notifier_prompt' }));
    expect(planCoalescing(rows)).toBeNull();
  });

  it('ends the block where the epoch changes', () => {
    const rows = rowsOf('/new', '/clear', '/new').map((row, index) => ({
      ...row,
      epoch: index === 2 ? 2 : 1,
    }));
    expect(blockLength(rows, 1)).toBe(2);
    expect(blockLength(rows, 2)).toBe(0);
    expect(planCoalescing(rows)?.superseded.map(({ requestId }) => requestId)).toEqual(['r2']);
  });
});
