import { expect, test } from 'vitest';
import { chooseAgent } from '../../../../sdk/src/node/choose-agent.js';

const record = (agentName: string, agentId: string, leaseExpired = false) => ({
  agentName,
  agentId,
  leaseExpired,
  sessionRoot: `/sessions/${agentId}`,
  tmuxSessionName: null,
});
const alpha = record('HOUMAO-alpha', 'a1');
const beta = record('HOUMAO-beta', 'b1');

test.each(['alpha', 'HOUMAO-alpha', 'a1'])('%s means the agent with that name or id', (name) => {
  expect(chooseAgent(name, [beta, alpha])).toEqual({ kind: 'one', record: alpha });
});

test.each(['gamma', 'alph', 'Alpha', 'HOUMAO-', 'HOUMAO-HOUMAO-alpha', ''])('%j means none', (name) => {
  expect(chooseAgent(name, [alpha, beta])).toEqual({ kind: 'none' });
});

test('a name that several agents have, with and without the prefix, is ambiguous; the whole name is not', () => {
  const plain = record('alpha', 'a2');
  expect(chooseAgent('alpha', [alpha, plain, beta])).toEqual({ kind: 'ambiguous', records: [alpha, plain] });
  expect(chooseAgent('HOUMAO-alpha', [alpha, plain])).toEqual({ kind: 'one', record: alpha });
  expect(chooseAgent('a2', [alpha, plain])).toEqual({ kind: 'one', record: plain });
});

test('a record that nobody renews counts only where no other has the name', () => {
  const old = record('alpha', 'a2', true);
  expect(chooseAgent('alpha', [old, alpha])).toEqual({ kind: 'one', record: alpha });
  expect(chooseAgent('alpha', [old])).toEqual({ kind: 'one', record: old });
});
