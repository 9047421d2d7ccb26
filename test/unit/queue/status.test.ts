import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveStatus, type GatewayIdentity } from '../../../src/gateway/status/derive-status.js';
import { firstEpoch, needsReconciliation, observeInstance } from '../../../src/gateway/status/epoch.js';
import type { EpochRecord } from '../../../src/gateway/status/epoch-table.js';
import type { Inspection } from '../../../src/target/agent-target.js';

describe('epoch (gateway §2.6, decision 9)', () => {
  it('rises by one for every other instance, and never for one that is gone or the same', () => {
    const sightings = fc.array(fc.constantFrom(null, 'a', 'b', 'c'), { maxLength: 20 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), sightings, (start, seen) => {
        const begin: EpochRecord = { epoch: start, reconciledEpoch: start, lastInstanceId: null };
        const end = seen.reduce(observeInstance, begin);
        const known = seen.filter((id) => id !== null);
        const changes = known.filter((id, index) => index > 0 && id !== known[index - 1]).length;
        expect(end).toEqual({
          epoch: start + changes,
          reconciledEpoch: start,
          lastInstanceId: known.at(-1) ?? null,
        });
        expect(needsReconciliation(end)).toBe(changes > 0);
      }),
    );
  });

  it('the agent that comes back as it was asks for nothing', () => {
    const record = { epoch: 2, reconciledEpoch: 2, lastInstanceId: 'a' };
    const away = observeInstance(record, null);
    expect(away).toBe(record);
    expect(observeInstance(away, 'a')).toBe(record);
  });

  it.each([
    [null, { epoch: 1, reconciledEpoch: 1, lastInstanceId: null }],
    [
      { epoch: 0, instanceId: null },
      { epoch: 1, reconciledEpoch: 1, lastInstanceId: null },
    ],
    [
      { epoch: 4, instanceId: 'a' },
      { epoch: 4, reconciledEpoch: 4, lastInstanceId: 'a' },
    ],
  ])('counting goes on from %j', (surviving, expected) => {
    expect(firstEpoch(surviving)).toEqual(expected);
  });

  it('notices at the first start that the surviving instance was replaced', () => {
    const record = observeInstance(firstEpoch({ epoch: 4, instanceId: 'a' }), 'b');
    expect(record).toEqual({ epoch: 5, reconciledEpoch: 4, lastInstanceId: 'b' });
    expect(needsReconciliation(record)).toBe(true);
  });
});

const identity: GatewayIdentity = {
  attachIdentity: 'agent',
  backend: 'claude_headless',
  tmuxSessionName: 'tmux-agent',
  executionMode: 'detached_process',
  host: '127.0.0.1',
  port: 4711,
  tmuxWindowId: null,
  tmuxWindowIndex: null,
  tmuxPaneId: null,
};
const good: Inspection = {
  connected: true,
  instanceId: 'i',
  surface: 'ready',
  acceptsPrompts: true,
  detail: null,
};
const settled: EpochRecord = { epoch: 3, reconciledEpoch: 3, lastInstanceId: 'i' };
const replaced: EpochRecord = { ...settled, epoch: 4 };

describe('status axes (gateway §3.1)', () => {
  it.each([
    ['all is well', good, settled, 'connected', 'idle', 'open'],
    [
      'it takes no prompts',
      { ...good, acceptsPrompts: false },
      settled,
      'connected',
      'idle',
      'blocked_unavailable',
    ],
    ['another instance', good, replaced, 'connected', 'reconciliation_required', 'blocked_reconciliation'],
    [
      'another instance that takes no prompts',
      { ...good, acceptsPrompts: false },
      replaced,
      'connected',
      'reconciliation_required',
      'blocked_reconciliation',
    ],
    [
      'it is gone',
      { ...good, connected: false },
      settled,
      'unavailable',
      'awaiting_rebind',
      'blocked_unavailable',
    ],
    [
      'it is gone after a change',
      { ...good, connected: false },
      replaced,
      'unavailable',
      'awaiting_rebind',
      'blocked_unavailable',
    ],
  ] as const)('%s', (_name, inspection, epoch, connectivity, recovery, admission) => {
    expect(deriveStatus(identity, inspection, epoch, false, 0)).toMatchObject({
      gateway_health: 'healthy',
      managed_agent_connectivity: connectivity,
      managed_agent_recovery: recovery,
      request_admission: admission,
    });
  });

  it('a turn that runs shows as running and keeps admission open (decision 38)', () => {
    const running = deriveStatus(identity, good, settled, true, 7);
    expect(running).toMatchObject({ active_execution: 'running', request_admission: 'open', queue_depth: 7 });
    expect(deriveStatus(identity, good, settled, false, 7).active_execution).toBe('idle');
  });

  it.each(['ready', 'unknown', 'not_ready'] as const)('the surface %s is the adapter’s word', (surface) => {
    expect(deriveStatus(identity, { ...good, surface }, settled, true, 0).terminal_surface_eligibility).toBe(
      surface,
    );
  });

  it('names every field of the contract', () => {
    const inWindow = {
      ...identity,
      executionMode: 'tmux_auxiliary_window' as const,
      tmuxWindowId: '@3',
      tmuxWindowIndex: '1',
      tmuxPaneId: '%5',
    };
    expect(deriveStatus(inWindow, good, settled, false, 2)).toEqual({
      schema_version: 1,
      protocol_version: 'v1',
      attach_identity: 'agent',
      backend: 'claude_headless',
      tmux_session_name: 'tmux-agent',
      gateway_health: 'healthy',
      managed_agent_connectivity: 'connected',
      managed_agent_recovery: 'idle',
      request_admission: 'open',
      terminal_surface_eligibility: 'ready',
      active_execution: 'idle',
      execution_mode: 'tmux_auxiliary_window',
      queue_depth: 2,
      gateway_host: '127.0.0.1',
      gateway_port: 4711,
      gateway_tmux_window_id: '@3',
      gateway_tmux_window_index: '1',
      gateway_tmux_pane_id: '%5',
      managed_agent_instance_epoch: 3,
      managed_agent_instance_id: 'i',
    });
  });
});
