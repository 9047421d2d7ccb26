import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { terminalHistory } from '../../../../src/server/inspection/agent-history.js';
import { type TerminalFacts, terminalSummary } from '../../../../src/server/inspection/terminal-summary.js';
import { agentOf, anyTurns, stamp } from './any-turns.js';

const terminal: fc.Arbitrary<TerminalFacts> = fc.record({
  availability: fc.constantFrom('available', 'unavailable', 'tui_down', 'error', 'unknown'),
  phase: fc.constantFrom('ready', 'active', 'unknown'),
  lastTurn: fc.oneof(
    fc.constant({ result: 'none', updatedAtUtc: null } as const),
    fc.record({
      result: fc.constantFrom('success', 'interrupted', 'known_failure'),
      updatedAtUtc: stamp,
    }),
  ),
  errors: fc.constant([]),
});
const tui = fc.record({
  agent: fc.constant(agentOf('tui')),
  terminal,
  turns: anyTurns,
  gatewayTrouble: fc.constant([]),
});

describe('an agent in a terminal', () => {
  test('is named in its turn while it works, and never by a turn on record', () => {
    fc.assert(
      fc.property(tui, (facts) => {
        const { phase, activeTurnId, lastTurn } = terminalSummary(facts);
        expect(activeTurnId).toBe(phase === 'active' ? 'tui-anchor:HOUMAO-alpha' : null);
        expect([lastTurn.turnId, lastTurn.turnIndex]).toEqual([null, null]);
      }),
    );
  });

  test('has the later of what was seen and what is on record as its last turn', () => {
    fc.assert(
      fc.property(tui, (facts) => {
        const { updatedAtUtc, result } = terminalSummary(facts).lastTurn;
        const recorded = facts.turns.kind === 'known' ? facts.turns.latestEnded?.endedAtUtc : null;
        const stamps = [facts.terminal.lastTurn.updatedAtUtc, recorded].flatMap((one) => one ?? []);
        expect(updatedAtUtc).toBe(stamps.sort().at(-1) ?? null);
        expect(result === 'none').toBe(stamps.length === 0);
      }),
    );
  });

  test('is never reported as available without a session root, and says why', () => {
    fc.assert(
      fc.property(tui, (facts) => {
        const agent = { ...facts.agent, sessionRoot: null };
        const { availability, diagnostics } = terminalSummary({ ...facts, agent });
        expect(availability).not.toBe('available');
        expect(diagnostics.map(({ kind }) => kind)).toContain('no_session_root');
        const known = terminalSummary({ ...facts, agent: { ...agent, sessionRoot: '/s' } });
        expect(known.diagnostics.map(({ kind }) => kind)).not.toContain('no_session_root');
      }),
    );
  });

  test('is tried also where its screen is not understood, and not where its tool is gone', () => {
    const availability = (seen: TerminalFacts['availability']) =>
      terminalHistory(
        [{ recordedAtUtc: 'now', summary: 's', availability: seen, phase: 'ready', result: 'none' }],
        1,
      )[0]?.availability;
    const each = ['available', 'unknown', 'tui_down', 'unavailable', 'error'] as const;
    expect(each.map(availability)).toEqual(['available', 'available', 'unavailable', 'unavailable', 'error']);
  });
});
