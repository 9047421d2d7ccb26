import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  conversationAfter,
  type OpenConversation,
} from '../../../../src/agent/local-terminal/agent-report.js';
import type { SelfReportFact } from '../../../../src/tools/self-report/self-report.js';

const said = { evidence: 'a row', at: null };
const opened = (id: string): SelfReportFact => ({ kind: 'conversation', id, ...said });
const taken = (
  conversation: string | null,
  more: { pending?: boolean; refusable?: true } = {},
): SelfReportFact => ({
  kind: 'prompt_taken',
  text: 'hello',
  pending: false,
  conversation,
  turn: null,
  ...said,
  ...more,
});
const after = (...facts: SelfReportFact[]): OpenConversation | null =>
  facts.reduce(conversationAfter, null as OpenConversation | null);

test('a conversation has begun with the first prompt that is in it, and not before', () => {
  expect(after(opened('a'))).toEqual({ id: 'a', begun: false });
  expect(after(opened('a'), taken('a', { pending: true }))).toMatchObject({ begun: false });
  expect(after(opened('a'), taken('a', { refusable: true }))).toMatchObject({ begun: false });
  expect(after(opened('a'), taken(null))).toEqual({ id: 'a', begun: true });
  expect(after(taken('b'))).toEqual({ id: 'b', begun: true });
  expect(after(taken(null))).toBeNull();
});

test('another conversation that is opened has not begun, and the same one goes on', () => {
  expect(after(opened('a'), taken('a'), opened('b'))).toEqual({ id: 'b', begun: false });
  expect(after(opened('a'), taken('a'), opened('a'))).toEqual({ id: 'a', begun: true });
});

test('it is always the one that was named last', () => {
  const fact = fc.oneof(
    fc.constantFrom('a', 'b').map(opened),
    fc.constantFrom('a', 'b').map((id) => taken(id)),
  );
  fc.assert(
    fc.property(fc.array(fact, { minLength: 1 }), (facts) => {
      const last = facts.at(-1)!;
      const id =
        last.kind === 'conversation' ? last.id : last.kind === 'prompt_taken' ? last.conversation : null;
      expect(after(...facts)?.id).toBe(id);
    }),
  );
});
