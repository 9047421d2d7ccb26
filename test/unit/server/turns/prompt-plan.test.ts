import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type HeadlessFacts,
  type PromptFacts,
  planPrompt,
} from '../../../../src/server/turns/prompt-plan.js';

const anyHeadless: fc.Arbitrary<HeadlessFacts> = fc.record({
  admission: fc.constantFrom('open', 'blocked_unavailable', 'blocked_reconciliation'),
  running: fc.boolean(),
  activeTurnId: fc.option(fc.constant('turn-1')),
  resumable: fc.boolean(),
  sessionLive: fc.boolean(),
  current: fc.option(fc.constant('conversation')),
});
const anyFacts: fc.Arbitrary<PromptFacts> = fc.oneof(
  fc.record({
    name: fc.constant('alpha'),
    way: fc.constantFrom('requests', 'turns'),
    transport: fc.constant('headless' as const),
    hasExecution: fc.boolean(),
    wantsCurrent: fc.boolean(),
    gateway: fc.option(anyHeadless),
  }),
  fc.record({
    name: fc.constant('alpha'),
    way: fc.constantFrom('requests', 'turns'),
    transport: fc.constant('tui' as const),
    hasExecution: fc.boolean(),
    wantsCurrent: fc.boolean(),
    gateway: fc.option(fc.constant('terminal' as const)),
  }),
);
const refusedAs = (facts: PromptFacts): string | null => {
  const plan = planPrompt(facts);
  return typeof plan === 'string' ? null : plan.refused;
};
const idle: HeadlessFacts = {
  admission: 'open',
  running: false,
  activeTurnId: null,
  resumable: true,
  sessionLive: true,
  current: null,
};
const headless: PromptFacts = {
  name: 'alpha',
  way: 'requests',
  transport: 'headless',
  hasExecution: false,
  wantsCurrent: false,
  gateway: null,
};

describe('where a prompt goes', () => {
  test('through the gateway exactly where one lives, and straight to the agent exactly where none does', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const plan = planPrompt(facts);
        if (plan === 'direct') expect(facts.gateway).toBeNull();
        if (plan === 'gateway') expect(facts.gateway).not.toBeNull();
      }),
    );
  });

  test('a terminal has no turns to begin, whatever its gateway says', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const refused = refusedAs(facts) === 'not_headless';
        expect(refused).toBe(facts.transport === 'tui' && facts.way === 'turns');
      }),
    );
  });

  test('a gateway that runs a turn, or knows of one, is busy; nothing else of a live agent is', () => {
    fc.assert(
      fc.property(anyHeadless, (gateway) => {
        const plan = refusedAs({ ...headless, gateway });
        const busy =
          gateway.admission === 'blocked_reconciliation' || gateway.running || gateway.activeTurnId !== null;
        expect(plan === 'busy').toBe(busy);
        const out = !gateway.resumable || !gateway.sessionLive || gateway.admission === 'blocked_unavailable';
        if (!busy) expect(plan).toBe(out ? 'unavailable' : null);
      }),
    );
  });

  test.each([
    ['the agent was replaced', { ...idle, admission: 'blocked_reconciliation', running: true }, /reconcile/],
    ['a turn runs', { ...idle, running: true, activeTurnId: 'turn-7' }, /turn-7/],
  ] as const)('says so where %s', (_what, gateway, words) => {
    expect(planPrompt({ ...headless, gateway })).toMatchObject({ detail: expect.stringMatching(words) });
  });

  test('the pinned conversation has to be there before anything is queued', () => {
    const facts = { ...headless, wantsCurrent: true };
    expect(refusedAs({ ...facts, gateway: idle })).toBe('busy');
    expect(planPrompt({ ...facts, gateway: { ...idle, current: 'conversation' } })).toBe('gateway');
  });

  test('a model for a terminal is refused before its gateway is asked', () => {
    const facts: PromptFacts = { ...headless, transport: 'tui', hasExecution: true, gateway: 'terminal' };
    expect(refusedAs(facts)).toBe('invalid');
    expect(planPrompt({ ...facts, hasExecution: false })).toBe('gateway');
  });
});
