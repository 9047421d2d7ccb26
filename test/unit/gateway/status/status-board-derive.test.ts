import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentInspection } from '../../../../src/agent/target/agent-target.js';
import type { Axes } from '../../../../src/dispatch/readiness.js';
import type { EpochRecord } from '../../../../src/gateway/status/epochs.js';
import { needsReconciliation } from '../../../../src/gateway/status/epochs.js';
import { deriveStatus, type GatewayIdentity } from '../../../../src/gateway/status/status-board.js';

const identity: GatewayIdentity = {
  attachIdentity: 'session-1',
  backend: 'claude_headless',
  tmuxSessionName: 'HOUMAO-alpha-1',
  executionMode: 'detached_process',
  host: '127.0.0.1',
  port: 4711,
  tmuxWindowId: null,
  tmuxWindowIndex: null,
  tmuxPaneId: null,
};
const there: AgentInspection = {
  connected: true,
  instanceId: 'i',
  surface: 'ready',
  reasons: [],
  acceptsPrompts: true,
  detail: null,
};
const settled = { epoch: 3, reconciledEpoch: 3, lastInstanceId: 'i' };
const replaced = { epoch: 4, reconciledEpoch: 3, lastInstanceId: 'j' };
const axesOf = (agent: AgentInspection, epoch: EpochRecord, running: boolean, queueDepth: number): Axes => ({
  storageFault: null,
  agent,
  needsReconciliation: needsReconciliation(epoch),
  epoch: epoch.epoch,
  paused: false,
  holder: running ? { turnId: 't', origin: 'queue' } : null,
  slotFree: !running,
  queueDepth,
});
const derive = (inspection: AgentInspection, epoch = settled, running = false, depth = 0) =>
  deriveStatus(identity, axesOf(inspection, epoch, running, depth), epoch);

describe('recovery and admission', () => {
  test('a queue that cannot be stored takes nothing, and the agent is as it is', () => {
    const axes = { ...axesOf(there, settled, true, 2), storageFault: 'Its disk is full.' };
    expect(deriveStatus(identity, axes, settled)).toMatchObject({
      request_admission: 'blocked_unavailable',
      managed_agent_connectivity: 'connected',
      managed_agent_recovery: 'idle',
    });
  });

  test.each([
    ['there', there, settled, 'connected', 'idle', 'open'],
    [
      'there, takes no prompts',
      { ...there, acceptsPrompts: false },
      settled,
      'connected',
      'idle',
      'blocked_unavailable',
    ],
    ['there, replaced', there, replaced, 'connected', 'reconciliation_required', 'blocked_reconciliation'],
    [
      'gone',
      { ...there, connected: false, acceptsPrompts: false },
      settled,
      'unavailable',
      'awaiting_rebind',
      'blocked_unavailable',
    ],
    [
      'gone, replaced',
      { ...there, connected: false },
      replaced,
      'unavailable',
      'awaiting_rebind',
      'blocked_unavailable',
    ],
  ] as const)('%s', (_what, inspection, epoch, connectivity, recovery, admission) => {
    expect(derive(inspection, epoch)).toMatchObject({
      managed_agent_connectivity: connectivity,
      managed_agent_recovery: recovery,
      request_admission: admission,
    });
  });
});

test('a busy agent keeps admission open', () => {
  expect(derive(there, settled, true, 7)).toMatchObject({
    active_execution: 'running',
    request_admission: 'open',
    queue_depth: 7,
  });
});

test.each(['ready', 'unknown', 'not_ready'] as const)(
  'the surface is what the adapter says: %s',
  (surface) => {
    expect(derive({ ...there, surface }).terminal_surface_eligibility).toBe(surface);
  },
);

test('epoch and instance are those of the record', () => {
  expect(derive(there, replaced)).toMatchObject({
    managed_agent_instance_epoch: 4,
    managed_agent_instance_id: 'j',
  });
});

test('who it is, is copied; a tmux window is published with its handle', () => {
  expect(derive(there)).toMatchObject({
    attach_identity: 'session-1',
    backend: 'claude_headless',
    tmux_session_name: 'HOUMAO-alpha-1',
    gateway_health: 'healthy',
    gateway_host: '127.0.0.1',
    gateway_port: 4711,
    execution_mode: 'detached_process',
    gateway_tmux_window_id: null,
    gateway_tmux_window_index: null,
    gateway_tmux_pane_id: null,
  });
  const inWindow = {
    ...identity,
    executionMode: 'tmux_auxiliary_window',
    tmuxWindowId: '@3',
    tmuxWindowIndex: '1',
    tmuxPaneId: '%5',
  } as const;
  expect(deriveStatus(inWindow, axesOf(there, settled, false, 0), settled)).toMatchObject({
    execution_mode: 'tmux_auxiliary_window',
    gateway_tmux_window_id: '@3',
    gateway_tmux_window_index: '1',
    gateway_tmux_pane_id: '%5',
  });
});

test('no axis contradicts another', () => {
  const inspection = fc.record({
    connected: fc.boolean(),
    instanceId: fc.constantFrom('i', null),
    surface: fc.constantFrom('ready' as const, 'unknown' as const, 'not_ready' as const),
    reasons: fc.constant([]),
    acceptsPrompts: fc.boolean(),
    detail: fc.constant(null),
  });
  fc.assert(
    fc.property(
      inspection,
      fc.constantFrom(settled, replaced),
      fc.boolean(),
      fc.nat(),
      (seen, epoch, running, depth) => {
        const status = derive(seen, epoch, running, depth);
        if (status.request_admission === 'open') {
          expect(status).toMatchObject({
            managed_agent_connectivity: 'connected',
            managed_agent_recovery: 'idle',
          });
        }
        expect(status.request_admission === 'blocked_reconciliation').toBe(
          status.managed_agent_recovery === 'reconciliation_required',
        );
        expect(status.managed_agent_connectivity === 'unavailable').toBe(
          status.managed_agent_recovery === 'awaiting_rebind',
        );
      },
    ),
  );
});
