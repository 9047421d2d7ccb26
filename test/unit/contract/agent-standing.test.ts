import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  askedOfPerson,
  type SeenScreen,
  type StandingFacts,
  standingOf,
  toolEnded,
} from '../../../src/contract/agent-standing.js';

const screen = (availability: string, asks: string | null = null): SeenScreen => ({
  diagnostics: { availability },
  tracked_session: { session_root: '/abs/path/session' },
  recent_transitions: [],
  parsed_surface: {
    business_state: asks === null ? 'idle' : 'awaiting_operator',
    operator_blocked_excerpt: asks,
  },
});
/** A terminal that was registered, and that no launch made. */
const guest = (availability: string, ...processes: string[]): SeenScreen => ({
  ...screen(availability),
  tracked_session: { session_root: null },
  recent_transitions: processes.map((process_state) => ({ process_state })),
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
  ['tool_ended', { screen: guest('tui_down', 'tui_down', 'tui_up', 'tui_down'), reachable: false }],
  // No tool was ever seen there, so none is known to have ended.
  ['unreachable', { screen: guest('tui_down', 'unknown', 'tui_down'), reachable: false }],
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
      .tuple(fc.constantFrom('available', 'tui_down', 'error'), fc.option(fc.string()), fc.boolean())
      .map(([availability, asks, isGuest]) => (isGuest ? guest(availability) : screen(availability, asks))),
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
        (facts.screen !== null && (toolEnded(facts.screen) || askedOfPerson(facts.screen) !== null));
      expect(['ready', 'busy', 'working', 'unknown'].includes(standingOf(facts))).toBe(!hindered);
    }),
  );
});

test('only a question on the screen is one to a person', () => {
  expect(askedOfPerson(screen('available'))).toBeNull();
  expect(askedOfPerson(screen('available', 'Proceed?'))).toBe('Proceed?');
  expect(askedOfPerson({ ...screen('available'), parsed_surface: null })).toBeNull();
});
