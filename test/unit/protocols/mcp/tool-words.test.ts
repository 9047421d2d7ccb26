import type { Schemas } from '@houmao/sdk/managed-agent';
import { HoumaoError } from '@houmao/sdk/managed-agent';
import { describe, expect, test } from 'vitest';
import {
  agentLine,
  eventLine,
  failureText,
  inToolWords,
  requestText,
  turnText,
} from '../../../../src/protocols/mcp/tool-words.js';

const turn: Schemas['TurnRecord'] = {
  turn_id: 'turn-1',
  origin: 'queue',
  request_id: 'gwreq-1',
  tool: 'claude',
  state: 'ended',
  started_at_utc: '2026-03-13T00:00:00+00:00',
  ended_at_utc: '2026-03-13T00:00:05+00:00',
  delivery: { state: 'unconfirmed', at_utc: '2026-03-13T00:00:05+00:00', evidence: null },
  outcome: 'failed',
  provider_session_id: null,
  model: null,
  exit_code: 1,
  signal: null,
  error: { code: 'agent_failed', detail: 'It ended with 1.' } as Schemas['RecordError'],
  answer: { text: '😀😀😀', truncated: true },
  usage: null,
  artifacts: [],
};

describe('a turn', () => {
  test('is never called delivered without evidence, and says why it failed', () => {
    const lines = turnText(turn, 100).split('\n');
    expect(lines).toContain('delivery: unconfirmed');
    expect(lines).toContain('error: agent_failed: It ended with 1.');
  });

  test('shows so many characters of its answer, whole ones, and says that there are more', () => {
    expect(turnText(turn, 2)).toContain('\n😀😀\n[cut: 2 of 3 characters');
    expect(turnText(turn, 3)).not.toContain('[cut');
    expect(turnText(turn, 3)).toContain('the first 1 MiB');
  });
});

test('an agent says in one line what it does and what it waits for', () => {
  const agent: Schemas['AgentOverview'] = {
    tracked_agent_id: 'id-1',
    agent_name: 'HOUMAO-alpha',
    tool: 'claude',
    transport: 'tui',
    terminal_id: null,
    state: 'needs_person',
    detail: null,
    question: 'Run ls?',
    has_gateway: false,
    queue: { waiting: 2, paused: true },
    running: null,
    last_turn: null,
  };
  expect(agentLine(agent)).toBe(
    'alpha (claude, terminal): needs_person; 2 waiting; queue paused; no gateway\n  asks: Run ls?',
  );
});

test.each([
  [['body', 'payload', 'prompt'], 'text'],
  [['body', 'prompt'], 'text'],
  [['body', 'reminders', 0, 'deliver_at_utc'], 'at'],
  [['body', 'body_content'], 'body'],
  [['body', 'to', 1], 'to.1'],
  [['path', 'agent_ref'], 'agent'],
  [['header', 'idempotency-key'], 'idempotency_key'],
])('a refusal of %j names the argument %s', (loc, argument) => {
  const items = [{ type: 'value_error', loc, msg: 'It is blank.', input: '' }];
  const error = new HoumaoError({
    status: 422,
    errorCode: 'validation_failed',
    detail: 'body.x: It is blank.',
    operationId: 'submitGatewayRequest',
    items,
  });
  expect(failureText(error, 'alpha')).toBe(`validation_failed: ${argument}: It is blank.`);
});

test.each([
  ['payload.prompt: It is blank.', 'text: It is blank.'],
  [
    'Agent `alpha` has no live gateway. POST /houmao/agents/alpha/gateway/attach starts one.',
    'Agent `alpha` has no live gateway. `houmao-mgr agents gateway attach alpha` starts one.',
  ],
  [
    'The queue is paused; PUT /v1/control/queue resumes it.',
    'The queue is paused; `houmao-mgr agents gateway resume alpha` resumes it.',
  ],
  [
    'Settle it with POST /v1/control/reconcile first.',
    'Settle it with `houmao-mgr agents gateway reconcile alpha` first.',
  ],
  ['The agent: it is busy', 'The agent: it is busy'],
])('%s', (sentence, words) => {
  expect(inToolWords(sentence, 'alpha')).toBe(words);
});

test('a request that waits says what ends that in words of the tools and of the command line', () => {
  const request = {
    request_id: 'gwreq-1',
    state: 'accepted',
    queue_position: 0,
    waiting_reason: { code: 'paused', detail: 'The queue is paused; PUT /v1/control/queue resumes it.' },
    error: null,
    superseded_by: null,
  } as Schemas['RequestRecord'];
  expect(requestText(request, 'alpha')).not.toMatch(/\b(GET|POST|PUT|DELETE) \//);
  expect(requestText(request, 'alpha')).toContain('gateway resume alpha');
});

test('a gap among the events says why they are missing', () => {
  const gap = {
    id: '1-1',
    tracked_agent_id: 'id-1',
    agent_name: null,
    event: null,
    gap: 'They were deleted.',
  };
  expect(eventLine(gap)).toBe('id-1: events are missing: They were deleted.');
});

test('a failed call names the key with which to repeat what may have been done; a fault of the program is none', () => {
  const error = new HoumaoError({
    status: null,
    errorCode: 'connection_failed',
    detail: 'The answer was lost.',
    operationId: 'submitAgentRequest',
    idempotencyKey: 'key-1',
  });
  const [first, second] = failureText(error, 'alpha')?.split('\n') ?? [];
  expect(first).toBe('connection_failed: The answer was lost.');
  expect(second).toBe('idempotency_key: key-1');
  expect(failureText(new TypeError('x'), 'alpha')).toBeNull();
});
