import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Axes,
  activityOf,
  admissionOf,
  axesInWords,
  behind,
  keysObstacle,
  type ObstacleCode,
  obstacleFor,
  obstacles,
  replaced,
  type WayIn,
} from '../../../src/dispatch/readiness.js';
import { FakeTerminal } from '../../support/terminal/fake-terminal.js';

const ready: Axes = {
  storageFault: null,
  agent: {
    connected: true,
    instanceId: 'i',
    surface: 'ready',
    reasons: [],
    acceptsPrompts: true,
    detail: null,
  },
  needsReconciliation: false,
  epoch: 1,
  paused: false,
  holder: null,
  slotFree: true,
  queueDepth: 0,
};
const holder = { turnId: 'turn-7', origin: 'queue' } as const;

/** One obstacle each, with what it says. */
const single: readonly [string, Partial<Axes>, ObstacleCode, string][] = [
  ['the disk is full', { storageFault: 'The disk is full.' }, 'unavailable', 'The disk is full.'],
  [
    'the agent cannot be reached',
    { agent: { ...ready.agent, connected: false, detail: 'Its folder is gone.' } },
    'unavailable',
    'The managed agent is unavailable. Its folder is gone.',
  ],
  [
    'the agent cannot be reached and nobody knows why',
    { agent: { ...ready.agent, connected: false } },
    'unavailable',
    'The managed agent is unavailable.',
  ],
  [
    'the agent was replaced',
    { needsReconciliation: true },
    'reconciliation',
    'The agent was replaced; settle its queued work with POST /v1/control/reconcile first.',
  ],
  [
    'the agent takes no prompts at all',
    { agent: { ...ready.agent, acceptsPrompts: false } },
    'unavailable',
    'The managed agent is unavailable.',
  ],
  [
    'the queue is paused',
    { paused: true },
    'paused',
    'The queue is paused; PUT /v1/control/queue resumes it.',
  ],
  ['a turn runs', { holder, slotFree: false }, 'busy', 'Turn turn-7 is running.'],
  [
    'a forced prompt is on its way',
    { slotFree: false },
    'busy',
    'Another forced prompt is being dispatched.',
  ],
  ['a request waits', { queueDepth: 1 }, 'queued', '1 request comes first.'],
  [
    'the surface takes no prompt',
    { agent: { ...ready.agent, surface: 'not_ready' } },
    'not_ready',
    'The agent takes no prompt now.',
  ],
];

/** Which obstacles keep what back, as docs/decisions.md and the contract say. */
const kept: Readonly<Record<WayIn, readonly ObstacleCode[]>> = {
  accept: ['unavailable', 'reconciliation'],
  queue: ['unavailable', 'reconciliation', 'paused', 'busy', 'not_ready'],
  direct: ['unavailable', 'reconciliation', 'busy', 'queued', 'not_ready'],
  forced: ['unavailable', 'reconciliation'],
  reminder: ['unavailable', 'reconciliation', 'busy', 'queued', 'not_ready'],
  notifier: ['unavailable', 'reconciliation', 'paused', 'busy', 'queued', 'not_ready'],
  agent: ['unavailable', 'reconciliation', 'busy', 'not_ready'],
};
const ways = Object.keys(kept) as WayIn[];

test('nothing keeps a prompt from an agent that is there and idle', () => {
  expect(obstacles(ready)).toEqual([]);
  for (const way of ways) expect(obstacleFor(way, ready)).toBeNull();
  expect(admissionOf(ready)).toBe('open');
});

describe.each(single)('while %s', (_when, axes, code, detail) => {
  test('that is the one obstacle, in these words', () => {
    expect(obstacles({ ...ready, ...axes })).toEqual([{ code, detail }]);
  });
  test.each(ways)('it keeps back what it should of the way %s', (way) => {
    const expected = kept[way].includes(code) ? { code, detail } : null;
    expect(obstacleFor(way, { ...ready, ...axes })).toEqual(expected);
  });
});

const anyAxes: fc.Arbitrary<Axes> = fc.record({
  storageFault: fc.option(fc.constant('full')),
  agent: fc.record({
    connected: fc.boolean(),
    instanceId: fc.constant('i'),
    surface: fc.constantFrom('ready', 'not_ready', 'unknown'),
    reasons: fc.constantFrom<readonly string[]>([], ["turn.phase='active'"]),
    acceptsPrompts: fc.boolean(),
    detail: fc.option(fc.constant('gone')),
  }),
  needsReconciliation: fc.boolean(),
  epoch: fc.constant(1),
  paused: fc.boolean(),
  holder: fc.option(fc.constant(holder)),
  slotFree: fc.boolean(),
  queueDepth: fc.nat(2),
});

const idle = new FakeTerminal();

test('keys need an agent that can be reached and was not replaced, and nothing else of it', () => {
  fc.assert(
    fc.property(anyAxes, (axes) => {
      const { storageFault, needsReconciliation, agent } = axes;
      const reached = storageFault === null && agent.connected && !needsReconciliation;
      for (const terminal of [null, idle])
        expect(keysObstacle(axes, terminal)).toEqual(reached ? null : obstacles(axes)[0]);
    }),
  );
});

test('a terminal whose tool has ended takes no keys, and it is said what to do', () => {
  const terminal = new FakeTerminal();
  terminal.availability = 'tui_down';
  expect(keysObstacle(ready, terminal)).toEqual({
    code: 'unavailable',
    detail:
      'The tool has ended in its terminal, and a shell that is left would run the keys. Start toy there again: tmux attach -t HOUMAO-toy',
  });
  expect(keysObstacle({ ...ready, needsReconciliation: true }, terminal)?.code).toBe('reconciliation');
  for (const availability of ['available', 'error', 'unknown'] as const) {
    terminal.availability = availability;
    expect(keysObstacle(ready, terminal)).toBeNull();
  }
});

test('a turn that a person has to answer says so', () => {
  const agent = { ...ready.agent, reasons: ["x='y'", "blocked='permission'"] };
  expect(obstacleFor('queue', { ...ready, holder, slotFree: false, agent })).toEqual({
    code: 'busy',
    detail: "Turn turn-7 is running and waits for a person (blocked='permission').",
  });
});

describe('of several obstacles', () => {
  test('the first is named: storage and reach, replacement, a refusing agent, pause, turn, queue, surface', () => {
    const all: Axes = {
      ...ready,
      agent: { ...ready.agent, acceptsPrompts: false, surface: 'not_ready' },
      storageFault: 'full',
      needsReconciliation: true,
      paused: true,
      holder,
      queueDepth: 2,
    };
    expect(obstacles(all).map(({ code }) => code)).toEqual([
      ...['unavailable', 'reconciliation', 'unavailable', 'paused', 'busy', 'queued', 'not_ready'],
    ]);
    expect(obstacleFor('queue', { ...all, storageFault: null })?.code).toBe('reconciliation');
  });

  test('a full disk comes before an agent that is gone', () => {
    const gone = { ...ready.agent, connected: false, detail: 'gone' };
    expect(obstacleFor('accept', { ...ready, storageFault: 'full', agent: gone })?.detail).toBe('full');
  });

  test('each way in meets the first that counts for it, and is free exactly when none does', () => {
    fc.assert(
      fc.property(anyAxes, fc.constantFrom(...ways), (axes, way) => {
        const first = obstacles(axes).find(({ code }) => kept[way].includes(code));
        expect(obstacleFor(way, axes)).toEqual(first ?? null);
      }),
    );
  });
});

describe('admission', () => {
  test.each([
    ['the agent was replaced', { needsReconciliation: true }, 'blocked_reconciliation'],
    ['the disk is full', { storageFault: 'full' }, 'blocked_unavailable'],
    ['both', { needsReconciliation: true, storageFault: 'full' }, 'blocked_unavailable'],
    ['a turn runs, others wait and the queue is paused', { holder, queueDepth: 3, paused: true }, 'open'],
  ] as const)('while %s is %s', (_when, axes, admission) => {
    expect(admissionOf({ ...ready, ...axes } as Axes)).toBe(admission);
  });
});

describe('in words', () => {
  const names = [
    'request_admission',
    'terminal_surface_eligibility',
    'active_execution',
    'queue_depth',
  ] as const;
  test('the axes that are asked for, in that order', () => {
    expect(axesInWords({ ...ready, queueDepth: 4 }, names)).toBe(
      "request_admission='open', terminal_surface_eligibility='ready', active_execution='idle', queue_depth=4",
    );
    expect(axesInWords({ ...ready, holder }, ['active_execution'])).toBe("active_execution='running'");
    expect(axesInWords(ready, [])).toBe('');
  });
  test('only the holder of the slot shows what runs', () => {
    expect(activityOf({ ...ready, holder })).toBe('running');
    expect(activityOf({ ...ready, slotFree: false })).toBe('idle');
  });
  test('how many come first, and what an operator has to do about a replaced agent', () => {
    expect(behind(3)).toBe('3 requests come first.');
    expect(replaced).toContain('POST /v1/control/reconcile');
  });
});
