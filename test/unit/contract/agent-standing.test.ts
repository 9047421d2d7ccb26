import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  askedOfPerson,
  type SeenScreen,
  type StandingFacts,
  standingOf,
} from '../../../src/contract/agent-standing.js';

const screen = (availability: string, asks: string | null = null): SeenScreen => ({
  diagnostics: { availability },
  parsed_surface: {
    business_state: asks === null ? 'idle' : 'awaiting_operator',
    operator_blocked_excerpt: asks,
  },
});
const usual: StandingFacts = {
  queueFault: false,
  replaced: false,
  reachable: true,
  screen: null,
  running: false,
  readiness: 'ready',
};

test.each<[string, Partial<StandingFacts>]>([
  ['ready', {}],
  ['ready', { screen: screen('available') }],
  ['busy', { readiness: 'busy' }],
  ['unknown', { readiness: 'unknown' }],
  ['working', { running: true }],
  ['working', { running: true, readiness: 'busy' }],
  ['needs_person', { screen: screen('available', 'Proceed?'), running: true }],
  ['tool_ended', { screen: screen('tui_down'), reachable: false }],
  ['unreachable', { reachable: false, running: true }],
  ['replaced', { replaced: true, reachable: false }],
  ['fault', { queueFault: true, replaced: true }],
])('%s: %o', (word, facts) => {
  expect(standingOf({ ...usual, ...facts })).toBe(word);
});

const anyFacts: fc.Arbitrary<StandingFacts> = fc.record({
  queueFault: fc.boolean(),
  replaced: fc.boolean(),
  reachable: fc.boolean(),
  screen: fc.option(
    fc
      .tuple(fc.constantFrom('available', 'tui_down', 'error'), fc.option(fc.string()))
      .map(([availability, asks]) => screen(availability, asks)),
  ),
  running: fc.boolean(),
  readiness: fc.constantFrom('ready', 'busy', 'unknown'),
});

test('no agent is ready, busy or working that cannot be prompted or waits for a person', () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const hindered =
        facts.queueFault ||
        facts.replaced ||
        !facts.reachable ||
        (facts.screen !== null &&
          (facts.screen.diagnostics.availability === 'tui_down' || askedOfPerson(facts.screen) !== null));
      expect(['ready', 'busy', 'working', 'unknown'].includes(standingOf(facts))).toBe(!hindered);
    }),
  );
});

test('only a question on the screen is one to a person', () => {
  expect(askedOfPerson(screen('available'))).toBeNull();
  expect(askedOfPerson(screen('available', 'Proceed?'))).toBe('Proceed?');
  expect(askedOfPerson({ ...screen('available'), parsed_surface: null })).toBeNull();
});
