import { describe, expect, test } from 'vitest';
import { busyWith, closedTo } from '../../../src/dispatch/direct-prompt.js';
import type { Axes } from '../../../src/dispatch/readiness.js';

const ready: Axes = {
  agent: {
    connected: true,
    instanceId: 'i',
    surface: 'ready',
    reasons: [],
    acceptsPrompts: true,
    detail: null,
  },
  storageFault: null,
  needsReconciliation: false,
  epoch: 1,
  paused: false,
  holder: null,
  slotFree: true,
  queueDepth: 0,
};
const holder = { turnId: 't', origin: 'queue' } as const;
const notReady = { ...ready.agent, surface: 'not_ready' } as const;
const busy = (axes: string) => `Gateway prompt rejected because the agent is busy (${axes}).`;

const paused = (waiting: string) =>
  `Gateway prompt rejected because the queue is paused with ${waiting} waiting; PUT /v1/control/queue resumes it, and \`force\` sends this prompt first.`;

describe('what keeps a prompt back', () => {
  test.each<[string, Partial<Axes>, string, string]>([
    ['a turn', { holder }, 'not_ready', busy("active_execution='running'")],
    ['what waits', { queueDepth: 2 }, 'not_ready', busy('queue_depth=2')],
    ['what waits in a paused queue', { queueDepth: 2, paused: true }, 'not_ready', paused('2 prompts')],
    ['one that waits in a paused queue', { queueDepth: 1, paused: true }, 'not_ready', paused('1 prompt')],
    [
      'a turn beside a paused queue without work',
      { holder, paused: true },
      'not_ready',
      busy("active_execution='running'"),
    ],
    [
      'what waits in a paused queue behind a turn',
      { holder, queueDepth: 1, paused: true },
      'not_ready',
      busy("active_execution='running', queue_depth=1"),
    ],
    ['the surface', { agent: notReady }, 'not_ready', busy("terminal_surface_eligibility='not_ready'")],
    [
      'all of these',
      { agent: notReady, holder, queueDepth: 1 },
      'not_ready',
      busy("active_execution='running', queue_depth=1, terminal_surface_eligibility='not_ready'"),
    ],
    [
      'what waits, and why the terminal is not ready',
      {
        agent: { ...notReady, reasons: ["surface.editing_input='yes'", "self_report='busy'"] },
        queueDepth: 1,
      },
      'not_ready',
      busy(
        "queue_depth=1, terminal_surface_eligibility='not_ready', surface.editing_input='yes', self_report='busy'",
      ),
    ],
    ['a forced prompt', { slotFree: false }, 'not_ready', 'Another forced prompt is being dispatched.'],
    [
      'a replaced agent',
      { needsReconciliation: true },
      'blocked_reconciliation',
      'The agent was replaced; settle its queued work with POST /v1/control/reconcile first.',
    ],
    ['a full disk', { storageFault: 'The disk is full.' }, 'unavailable', 'The disk is full.'],
  ])('is reported with the values of the axes: %s', (_what, axes, code, detail) => {
    expect(busyWith({ ...ready, ...axes })).toEqual({ code, detail });
  });

  test('nothing of an idle agent, and a paused queue neither', () => {
    expect(busyWith({ ...ready, paused: true })).toBeNull();
    expect(closedTo({ ...ready, holder, queueDepth: 3, agent: notReady })).toBeNull();
  });

  test('also by force: a replaced agent, and a full disk', () => {
    expect(closedTo({ ...ready, needsReconciliation: true })?.code).toBe('blocked_reconciliation');
    expect(closedTo({ ...ready, storageFault: 'full' })).toEqual({ code: 'unavailable', detail: 'full' });
  });
});
