import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentNameRule, defaultAgentName, isAgentId } from '../../../src/launch/agent-name.js';

test.each(['alpha', 'HOUMAO-alpha', 'a', 'A_b-9', 'HOUMAOalpha', 'my-HOUMAOS'])(
  '%s can be a name',
  (name) => {
    expect(agentNameRule(name)).toBeNull();
  },
);

test.each([
  '',
  'HOUMAO',
  'HOUMAO-',
  'HOUMAO-HOUMAO',
  'a-HOUMAO',
  'HOUMAO_x',
  'a/b',
  'a\\b',
  'x.json',
  '-a',
  'ä',
  'a'.repeat(65),
])('%j cannot', (name) => {
  expect(agentNameRule(name)).toEqual(expect.any(String));
});

test('the name of an agent that nobody named is one that could be given', () => {
  fc.assert(
    fc.property(fc.constantFrom('claude', 'codex', 'gemini'), fc.string(), (tool, role) => {
      const name = defaultAgentName(tool, role);
      expect(agentNameRule(name)).toBeNull();
      expect(name).toMatch(/^HOUMAO-.{1,40}$/);
    }),
  );
  expect(defaultAgentName('claude', 'code reviewer')).toBe('HOUMAO-claude-code-reviewer');
});

test.each(['x', '0d9f3c5ab1e2477f8c60be1d42a7e913', 'a.b-c_d'])('%s can be an id', (id) => {
  expect(isAgentId(id)).toBe(true);
});

test.each(['', '.', '..', '.hidden', 'a/b', '../x', 'a\0', 'a b', 'x'.repeat(129)])(
  '%j cannot be one',
  (id) => {
    expect(isAgentId(id)).toBe(false);
  },
);
