import { expect, test } from 'vitest';
import type { StandinAgent } from '../../../support/standin-agent.js';
import type { LedgerRow } from '../../../torture/server/agents.js';
import { type AgentFacts, check } from '../../../torture/server/check.js';

const begun = (pid: number, tag: string): LedgerRow => ({ pid, turn_id: null, prompt: `say ${tag}` });
const ended = (pid: number, outcome: string): LedgerRow => ({ pid, turn_id: null, done: true, outcome });
/** A prompt whose caller learned that it is answered. */
const answered = (tag: string): AgentFacts['submissions'][number] => ({
  agent: {} as StandinAgent,
  way: 'requests',
  key: tag,
  prompt: `say ${tag}`,
  tag,
  reported: 'taken',
  sent: true,
  turnId: 'turn-1',
  requestId: null,
  end: { outcome: 'completed', delivery: 'confirmed', error: null, answer: `said ${tag}` },
});
const facts = (transport: 'headless' | 'tui', ledger: LedgerRow[], ...tags: string[]): AgentFacts => ({
  agent: { name: 'hugo', transport },
  ledger,
  submissions: tags.map(answered),
  interrupted: true,
});

test('a process that has the number of an earlier one ends its own turn', () => {
  const ledger = [begun(7, 'word1'), ended(7, 'interrupted'), begun(7, 'word2'), ended(7, 'answered')];
  expect(check(facts('headless', ledger, 'word2'))).toEqual(['hugo: nobody asked for word1']);
});

test('a turn that is reported as answered and ended otherwise is a violation, also in a terminal', () => {
  const ledger = [begun(7, 'word1'), ended(7, 'interrupted'), begun(7, 'word2'), ended(7, 'answered')];
  const words = 'is completed (confirmed; null), and the agent ended it as interrupted';
  for (const transport of ['headless', 'tui'] as const)
    expect(check(facts(transport, ledger, 'word1', 'word2'))).toEqual([`hugo: word1 (requests) ${words}`]);
});

test('so is one that the agent never ended', () => {
  expect(check(facts('headless', [begun(7, 'word1')], 'word1'))).toEqual([
    'hugo: word1 (requests) is completed (confirmed; null), and the agent ended it as undefined',
  ]);
});
