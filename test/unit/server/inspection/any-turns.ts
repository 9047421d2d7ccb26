import fc from 'fast-check';
import type { ManagedAgent } from '../../../../src/server/directory/managed-agents.js';
import type { SessionTurns, TurnFacts } from '../../../../src/server/inspection/session-turns.js';

export const stamp = fc
  .date({ min: new Date('2026-01-01'), max: new Date('2026-12-31'), noInvalidDate: true })
  .map((date) => `${date.toISOString().slice(0, 19)}+00:00`);

const common = {
  turnId: fc.stringMatching(/^turn-[0-9a-f]{12}$/),
  turnIndex: fc.integer({ min: 1, max: 1000 }),
  origin: fc.constantFrom('queue', 'direct', 'reminder', 'notifier'),
  startedAtUtc: stamp,
  interruptRequestedAtUtc: fc.constant(null),
} as const;

export const runningTurn: fc.Arbitrary<TurnFacts> = fc.record({
  ...common,
  state: fc.constant('running'),
  endedAtUtc: fc.constant(null),
  outcome: fc.constant(null),
  returncode: fc.constant(null),
  error: fc.constant(null),
});
export const endedTurn: fc.Arbitrary<TurnFacts> = fc.record({
  ...common,
  state: fc.constant('ended'),
  endedAtUtc: stamp,
  outcome: fc.constantFrom('completed', 'failed', 'interrupted', 'replaced', null),
  returncode: fc.option(fc.integer({ min: -15, max: 255 })),
  error: fc.option(fc.record({ code: fc.constant('agent_failed'), detail: fc.string() })),
});
export const knownTurns = fc
  .record({
    running: fc.option(runningTurn),
    newest: fc.array(fc.oneof(runningTurn, endedTurn)),
    latestEnded: fc.option(endedTurn),
  })
  .map((turns) => ({ kind: 'known', ...turns }) as const);
export const anyTurns: fc.Arbitrary<SessionTurns> = fc.oneof(
  knownTurns,
  fc.constant({ kind: 'unknown', detail: 'They cannot be read now.' } as const),
);

export const agentOf = (transport: ManagedAgent['transport']): ManagedAgent => ({
  trackedAgentId: 'HOUMAO-alpha',
  transport,
  tool: 'claude',
  sessionName: null,
  terminalId: null,
  runtimeSessionId: null,
  tmuxSessionName: null,
  tmuxWindowName: null,
  manifestPath: null,
  sessionRoot: null,
  agentName: null,
  agentId: null,
});
