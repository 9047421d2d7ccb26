import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PendingRow, planCoalescing } from '../../../../src/gateway/requests/queue-head.js';

/** The rules of docs/decisions.md#coalescing once more, written without looking at the code. */
function model(rows: readonly PendingRow[]) {
  const labelOf = (row: PendingRow): string | undefined => {
    if (row.kind === 'interrupt') return 'interrupt';
    if (row.kind !== 'submit_prompt' || row.prompt === null) return undefined;
    for (const command of ['/compact', '/clear', '/new'])
      if (row.prompt.trim() === command) return `submit_prompt:${command}`;
    return undefined;
  };
  const block: { row: PendingRow; label: string }[] = [];
  for (const row of rows) {
    const label = labelOf(row);
    if (label === undefined || row.epoch !== rows[0]?.epoch) break;
    block.push({ row, label });
  }
  if (block.length === 0) return null;
  let interrupt: string | undefined;
  let context: { id: string; label: string; rank: number } | undefined;
  for (const { row, label } of block) {
    if (label === 'interrupt') interrupt ??= row.requestId;
    else {
      const rank = ['submit_prompt:/compact', 'submit_prompt:/clear', 'submit_prompt:/new'].indexOf(label);
      // On equal rank the later row wins.
      if (!context || rank >= context.rank) context = { id: row.requestId, label, rank };
    }
  }
  const effective = [interrupt, context?.id].filter((id) => id !== undefined);
  return {
    nextRequestId: effective[0],
    effectiveRequestIds: [...effective].sort(),
    effectiveActions: [
      ...(interrupt === undefined ? [] : ['interrupt']),
      ...(context ? [context.label] : []),
    ],
    superseded: block
      .filter(({ row }) => !effective.includes(row.requestId))
      .map(({ row, label }) => ({
        requestId: row.requestId,
        originalAction: label,
        intoRequestId: label === 'interrupt' ? interrupt : context?.id,
      })),
  };
}

const row = fc.record({
  kind: fc.constantFrom(
    'submit_prompt',
    'submit_prompt',
    'interrupt',
    'mail_notifier_prompt',
    'something_else',
  ),
  prompt: fc.constantFrom(
    '/compact',
    '/clear',
    '/new',
    ' /new\n',
    '\t/compact ',
    '/NEW',
    '/new now',
    'hello',
    '',
    null,
  ),
  epoch: fc.constantFrom(1, 1, 1, 1, 2),
});
const rows = fc
  .array(row, { maxLength: 12 })
  .map((list): PendingRow[] =>
    list.map((one, index) => ({ ...one, requestId: `r${String(index).padStart(2, '0')}` })),
  );

test('every queue is planned as the rules say', () => {
  fc.assert(
    fc.property(rows, (queue) => {
      expect(planCoalescing(queue)).toEqual(model(queue));
    }),
    { numRuns: 3000 },
  );
});

test('a plan names every row of its block once, and carried out it leaves nothing to supersede', () => {
  fc.assert(
    fc.property(rows, (queue) => {
      const plan = planCoalescing(queue);
      if (!plan) return;
      const named = [...plan.effectiveRequestIds, ...plan.superseded.map((one) => one.requestId)];
      expect(new Set(named).size).toBe(named.length);
      expect(queue.slice(0, named.length).map((one) => one.requestId)).toEqual([...named].sort());
      for (const one of plan.superseded) expect(plan.effectiveRequestIds).toContain(one.intoRequestId);
      const left = queue.filter((one) => plan.effectiveRequestIds.includes(one.requestId));
      expect(planCoalescing(left)?.superseded).toEqual([]);
    }),
  );
});

describe('worked examples', () => {
  const queue = (...prompts: (string | null)[]): PendingRow[] =>
    prompts.map((prompt, index) => ({
      requestId: `r${index + 1}`,
      kind: prompt === null ? 'interrupt' : 'submit_prompt',
      prompt,
      epoch: 1,
    }));

  test('/compact, interrupt, /clear, /new, interrupt, /compact', () => {
    const plan = planCoalescing(queue('/compact', null, '/clear', '/new', null, '/compact'));
    expect(plan).toMatchObject({
      nextRequestId: 'r2',
      effectiveRequestIds: ['r2', 'r4'],
      effectiveActions: ['interrupt', 'submit_prompt:/new'],
    });
    expect(plan?.superseded.map((one) => [one.requestId, one.intoRequestId])).toEqual([
      ['r1', 'r4'],
      ['r3', 'r4'],
      ['r5', 'r2'],
      ['r6', 'r4'],
    ]);
  });
  test('three /compact: the third runs', () => {
    expect(planCoalescing(queue('/compact', '/compact', '/compact'))?.nextRequestId).toBe('r3');
  });
  test('three interrupts: the first runs', () => {
    expect(planCoalescing(queue(null, null, null))?.nextRequestId).toBe('r1');
  });
  test('an ordinary prompt, a notifier prompt and another epoch end the block', () => {
    expect(planCoalescing(queue('hello', '/new'))).toBeNull();
    expect(planCoalescing(queue('/clear', 'hello', '/new'))?.effectiveRequestIds).toEqual(['r1']);
    const notifier = { requestId: 'n', kind: 'mail_notifier_prompt', prompt: '/new', epoch: 1 };
    expect(planCoalescing([notifier])).toBeNull();
    const [first, second] = queue('/clear', '/new');
    expect(planCoalescing([first!, { ...second!, epoch: 2 }])?.effectiveRequestIds).toEqual(['r1']);
  });
});
