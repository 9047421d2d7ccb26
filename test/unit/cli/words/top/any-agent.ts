import type { TopAgent } from '../../../../../src/cli/words/top/top-state.js';

/** An agent of an overview. @param more in which it differs from one that is ready and has done nothing yet. */
export const agentOf = (name: string, more: Partial<TopAgent> = {}): TopAgent => ({
  tracked_agent_id: `id-of-${name}`,
  agent_name: `HOUMAO-${name}`,
  tool: 'claude',
  transport: 'headless',
  terminal_id: null,
  state: 'ready',
  detail: null,
  question: null,
  has_gateway: true,
  queue: { waiting: 0, paused: false },
  running: null,
  last_turn: null,
  ...more,
});

export const runningTurn = {
  turn_id: 'turn-000000000001',
  request_id: 'gwreq-1',
  origin: 'queue' as const,
  started_at_utc: '2026-01-01T00:00:00.000000+00:00',
  prompt_preview: 'Look at each change.',
};
