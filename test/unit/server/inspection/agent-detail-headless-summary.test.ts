import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { headlessDetail, headlessSummary } from '../../../../src/server/inspection/agent-detail.js';
import { headlessHistory } from '../../../../src/server/inspection/agent-history.js';
import { sentenceOf, statusOf } from '../../../../src/server/inspection/session-turns.js';
import { anyTurns, endedTurn, knownTurns, runningTurn } from './any-turns.js';

const runtime = fc.record({
  obstacle: fc.option(fc.constant('The working directory of the agent does not exist.')),
  tmuxLive: fc.option(fc.boolean()),
  tmuxSessionName: fc.option(fc.constant('HOUMAO-alpha')),
  blocked: fc.boolean(),
});
const headless = fc.record({
  runtime,
  turns: anyTurns,
  gatewayTurnId: fc.option(fc.constant('turn-of-the-gateway')),
  gatewayTrouble: fc.constant([]),
});

describe('a headless agent', () => {
  test('is available if and only if nothing is in its way, and what is in its way is named', () => {
    fc.assert(
      fc.property(headless, (facts) => {
        const { availability, diagnostics } = headlessSummary(facts);
        const named = diagnostics.filter(({ kind }) => kind !== 'turn_records_unreadable');
        expect(availability === 'available').toBe(named.length === 0);
        if (facts.runtime.blocked) expect(availability).toBe('error');
      }),
    );
  });

  test('is active if and only if a turn is known to run, and never ready where that is not known', () => {
    fc.assert(
      fc.property(headless, (facts) => {
        const { phase, activeTurnId, availability } = headlessSummary(facts);
        expect(phase === 'active').toBe(activeTurnId !== null);
        if (phase === 'ready') expect([availability, facts.turns.kind]).toEqual(['available', 'known']);
        if (facts.gatewayTurnId !== null) expect(activeTurnId).toBe(facts.gatewayTurnId);
      }),
    );
  });

  test('has the turn that ended last as its last one, also while another one runs', () => {
    fc.assert(
      fc.property(headless, fc.option(runningTurn), endedTurn, (facts, running, latestEnded) => {
        const turns = { kind: 'known', running, newest: [], latestEnded } as const;
        const { lastTurn } = headlessSummary({ ...facts, turns });
        expect([lastTurn.turnId, lastTurn.updatedAtUtc]).toEqual([
          latestEnded.turnId,
          latestEnded.endedAtUtc,
        ]);
        expect(lastTurn.result).not.toBe('none');
        expect(headlessSummary({ ...facts, turns: { ...turns, latestEnded: null } }).lastTurn).toMatchObject({
          result: 'none',
          turnId: running?.turnId ?? null,
        });
      }),
    );
  });

  test('takes a prompt only when it is available and no turn runs or may run', () => {
    fc.assert(
      fc.property(headless, (facts) => {
        const summary = headlessSummary({ ...facts, gatewayTurnId: null });
        const { turns } = facts;
        const detail = headlessDetail({
          summary,
          turns,
          gateway: null,
          resumable: true,
          tmuxLive: true,
          chat: null,
        });
        expect(detail.canAcceptPromptNow).toBe(summary.phase === 'ready');
        expect(detail.interruptible).toBe(summary.phase === 'active');
        expect(detail.active?.turnId ?? null).toBe(summary.activeTurnId);
      }),
    );
  });

  test('tells each turn in one line that says how it ended', () => {
    fc.assert(
      fc.property(knownTurns, (turns) => {
        const entries = headlessHistory(turns);
        expect(entries.map(({ turnId }) => turnId)).toEqual(turns.newest.map(({ turnId }) => turnId));
        for (const [index, { summary, phase, result }] of entries.entries()) {
          const turn = turns.newest[index]!;
          expect(summary).toBe(sentenceOf(turn.turnId, statusOf(turn), turn.error?.detail ?? null));
          expect(summary.startsWith(`Turn ${turn.turnId} `)).toBe(true);
          expect(summary).not.toContain('\n');
          expect(phase === 'active').toBe(turn.state === 'running');
          expect(result === 'none').toBe(turn.state === 'running');
        }
      }),
    );
  });
});
