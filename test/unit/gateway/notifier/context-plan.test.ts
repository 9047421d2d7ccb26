import { expect, test } from 'vitest';
import type { AgentTerminal } from '../../../../src/agent/target/agent-terminal.js';
import { contextOutcome, contextPlan } from '../../../../src/gateway/notifier/context-plan.js';

const settings = { contextErrorPolicy: 'clear_context', preNotificationContextAction: 'none' } as const;

function terminal(tool: string, errorType: string | null): Pick<AgentTerminal, 'names' | 'state'> {
  const diagnostic = errorType === null ? null : { degradedErrorType: errorType };
  const state = {
    chatContext: errorType === null ? 'current' : 'degraded',
    chatContextDiagnostic: diagnostic,
  };
  return {
    names: { tool, sessionId: 's', tmuxSession: 't', attachCommand: 'tmux attach -t t' },
    state: state as unknown as AgentTerminal['state'],
  };
}

test.each([
  ['codex', null, { clear: false, degraded: null }, null],
  ['codex', 'codex_remote_compact_server_error', { clear: true }, 'clear_context_requested'],
  ['codex', 'unknown', { clear: true }, 'clear_context_requested'],
  ['codex', 'something_new', { clear: false }, 'degraded_context_continued'],
  [
    'claude',
    'unknown',
    { clear: false, degraded: { tool: 'claude', errorType: 'unknown' } },
    'degraded_context_continued',
  ],
])('a conversation of %s with %s', (tool, errorType, plan, outcome) => {
  const found = contextPlan(settings, terminal(tool, errorType));
  expect(found).toMatchObject({ compact: false, ...plan });
  expect(contextOutcome(found)).toBe(outcome);
});

test('is only cleared where that is the policy, and an agent without a terminal has none', () => {
  const lenient = { ...settings, contextErrorPolicy: 'continue_current' } as const;
  const plan = contextPlan(lenient, terminal('codex', 'unknown'));
  expect([plan.clear, contextOutcome(plan)]).toEqual([false, 'degraded_context_continued']);
  expect(contextPlan(settings, null)).toEqual({ compact: false, clear: false, degraded: null });
});

test('is compacted first, and the outcomes are reported in their order', () => {
  const compact = { ...settings, preNotificationContextAction: 'compact' } as const;
  expect(contextOutcome(contextPlan(compact, terminal('codex', null)))).toBe(
    'pre_notification_compact_completed',
  );
  expect(contextOutcome(contextPlan(compact, terminal('codex', 'unknown')))).toBe(
    'pre_notification_compact_completed,clear_context_requested',
  );
});
