import type { Schemas } from '@houmao/sdk';
import { expect, test } from 'vitest';
import { reasonWords } from '../../../../src/cli/words/obstacle-words.js';
import { type StatusView, statusLines } from '../../../../src/cli/words/status-words.js';

const axes: Schemas['GatewayStatus'] = {
  schema_version: 1,
  protocol_version: 'v1',
  attach_identity: 's',
  backend: 'claude_headless',
  tmux_session_name: 's',
  gateway_health: 'healthy',
  managed_agent_connectivity: 'connected',
  managed_agent_recovery: 'idle',
  request_admission: 'open',
  terminal_surface_eligibility: 'ready',
  active_execution: 'idle',
  execution_mode: 'detached_process',
  queue_depth: 0,
  gateway_host: '127.0.0.1',
  gateway_port: 1,
  gateway_tmux_window_id: null,
  gateway_tmux_window_index: null,
  gateway_tmux_pane_id: null,
  managed_agent_instance_epoch: 1,
  managed_agent_instance_id: 'i-1',
};
const queue: Schemas['QueueState'] = {
  schema_version: 1,
  paused: false,
  queue_depth: 0,
  next_request_id: null,
  fault: null,
};
const view: StatusView = {
  axes,
  queue,
  about: null,
  turn: null,
  next: null,
  terminal: null,
  name: 'alpha',
  server: '',
};

test('an idle agent, in plain words', () => {
  expect(statusLines(view, (iso) => iso)).toEqual([
    'ready for prompts',
    '',
    '  agent        connected (instance i-1, epoch 1)',
    '  new prompts  accepted',
    '  surface      ready for a prompt',
    '  turn         none',
    '  queue        empty',
  ]);
});

test.each<[string, Partial<Schemas['GatewayStatus']>, Partial<StatusView>, RegExp]>([
  [
    'replaced',
    { request_admission: 'blocked_reconciliation', managed_agent_recovery: 'reconciliation_required' },
    { queue: { ...queue, paused: true } },
    /decide what becomes of the waiting requests: houmao-mgr agents gateway reconcile alpha/,
  ],
  [
    'away',
    { managed_agent_connectivity: 'unavailable', request_admission: 'blocked_unavailable' },
    { queue: { ...queue, paused: true } },
    /cannot be reached; houmao-mgr agents doctor alpha/,
  ],
  [
    'paused',
    { active_execution: 'running' },
    { queue: { ...queue, paused: true } },
    /paused; resume it: .* resume alpha/,
  ],
  [
    'not stored',
    { request_admission: 'blocked_unavailable' },
    { queue: { ...queue, fault: { code: 'disk_full', detail: 'The disk is full.' } } },
    /^The disk is full\. See what to do: houmao-mgr agents doctor alpha$/,
  ],
  ['running', { active_execution: 'running' }, {}, /^a turn is running$/],
  ['in a terminal', { request_admission: 'blocked_unavailable' }, {}, /sends it no prompts$/],
  ['busy elsewhere', { terminal_surface_eligibility: 'not_ready' }, {}, /busy with something else/],
])('the first line says what matters most: %s', (_title, change, more, words) => {
  expect(statusLines({ ...view, ...more, axes: { ...axes, ...change } }, (iso) => iso)[0]).toMatch(words);
});

test.each<[Partial<Schemas['GatewayStatus']>, Partial<StatusView>, RegExp]>([
  [
    {},
    { queue: { ...queue, paused: true } },
    /^the queue is paused; .+: houmao-mgr agents gateway resume alpha --server http:\/\/s$/,
  ],
  [
    { request_admission: 'blocked_reconciliation' },
    {},
    /^the agent .+ replaced; .+: houmao-mgr agents gateway reconcile alpha --adopt --server http:\/\/s \(or --discard\)$/,
  ],
  [{ managed_agent_connectivity: 'unavailable' }, {}, /^the agent cannot be reached; the doctor /],
])('what a server tells has remedies that go there: %j', (change, more, line) => {
  const server = ' --server http://s';
  expect(statusLines({ ...view, ...more, server, axes: { ...axes, ...change } }, (iso) => iso)[0]).toMatch(
    line,
  );
});

test('a terminal that is not ready says why in the first line; one that is ready does not', () => {
  const terminal = {
    diagnostics: { availability: 'tui_down' },
    tracked_session: { tmux_session_name: 'HOUMAO-alpha' },
  } as unknown as Schemas['TerminalState'];
  const lineOf = (terminal_surface_eligibility: 'ready' | 'not_ready' | 'unknown') =>
    statusLines({ ...view, terminal, axes: { ...axes, terminal_surface_eligibility } }, (iso) => iso)[0];
  const ended = expect.stringMatching(/^the tool .+: houmao-mgr agents restart alpha$/);
  expect(lineOf('not_ready')).toEqual(ended);
  expect(lineOf('unknown')).toEqual(ended);
  expect(lineOf('ready')).toBe('ready for prompts');
});

test('what comes next is named with its reason, on one line', () => {
  const paused = { code: 'paused', detail: 'As the gateway says.' } as const;
  const next = {
    request_id: 'gwreq-1',
    request_kind: 'submit_prompt',
    prompt_preview: `two\nlines ${'x'.repeat(100)}`,
    waiting_reason: paused,
  } as unknown as Schemas['RequestRecord'];
  const lines = statusLines({ ...view, next, axes: { ...axes, queue_depth: 2 } }, (iso) => iso);
  expect([lines[0], ...lines.slice(-2)]).toEqual([
    'the next prompt is about to run',
    '  queue        2 not finished',
    `  next         gwreq-1 (two lines ${'x'.repeat(50)}…): ${reasonWords(paused, 'alpha', '')}`,
  ]);
});

test('a headless agent that works is not described as ready for a prompt', () => {
  const surface = (change: Partial<Schemas['GatewayStatus']>) =>
    statusLines({ ...view, axes: { ...axes, ...change } }, (iso) => iso)[4];
  expect(surface({ active_execution: 'running' })).toBe(
    '  surface      takes the next prompt after this turn',
  );
  expect(surface({ active_execution: 'running', terminal_surface_eligibility: 'not_ready' })).toBe(
    '  surface      takes no prompt now',
  );
});
