import { expect, test } from 'vitest';
import { interruptTerminal } from '../../../../src/agent/local-terminal/interrupt-terminal.js';
import type { TerminalParts } from '../../../../src/agent/local-terminal/terminal-check.js';
import { deferred, OneAtATime } from '../../../../src/foundation/concurrency.js';
import type { KeySegment } from '../../../../src/terminal/terminal-input.js';
import type { AgentState } from '../../../../src/tools/self-report/self-report.js';

/** An agent that says of itself what `said` gives for a time in milliseconds, until Escape is pressed. */
function agentThat(said: (at: number) => AgentState) {
  const typed: KeySegment[] = [];
  let at = 0;
  const pane = { type: async (keys: readonly KeySegment[]) => void typed.push(...keys) };
  const parts = {
    typing: new OneAtATime(),
    clock: {
      monotonic: () => at,
      sleep: async (ms: number) => {
        at += ms;
      },
    },
    report: {
      get reportedState() {
        return { state: typed.length > 0 ? 'idle' : said(at) };
      },
    },
    watch: {
      tracker: { signals: null, noteInterrupt: () => undefined },
      status: null,
      tool: null,
      observe: async () => ({ probe: null }),
      stirred: () => new Promise(() => undefined),
      pane: async () => pane,
    },
  } as unknown as TerminalParts;
  return { parts, typed };
}

const stopped = { outcome: 'stopped', signal: null };
const escapeKey = [{ key: 'Escape' }];

test('an agent at work gets Escape', async () => {
  const { parts, typed } = agentThat(() => 'busy');
  expect(await interruptTerminal(parts)).toEqual(stopped);
  expect(typed).toEqual(escapeKey);
});

test('an idle one gets no key', async () => {
  const { parts, typed } = agentThat(() => 'idle');
  expect(await interruptTerminal(parts)).toEqual({ outcome: 'no_op' });
  expect(typed).toEqual([]);
});

test('one that has just taken a prompt gets Escape as soon as it is seen at work', async () => {
  const { parts, typed } = agentThat((at) => (at < 500 ? 'idle' : 'busy'));
  expect(await interruptTerminal(parts, { mayBegin: () => true, isOver: () => false })).toEqual(stopped);
  expect(typed).toEqual(escapeKey);
});

test.each([
  ['whose turn ends meanwhile', (at: number) => at > 300],
  ['that is never seen at work', () => false],
])('one %s gets no key', async (_which, ends) => {
  const { parts, typed } = agentThat(() => 'idle');
  const hasEnded = () => ends(parts.clock.monotonic());
  const turn = { mayBegin: () => !hasEnded(), isOver: () => false };
  expect(await interruptTerminal(parts, turn)).toEqual({ outcome: 'no_op' });
  expect(typed).toEqual([]);
});

test('one that works at something else when the turn is over gets no key', async () => {
  const { parts, typed } = agentThat((at) => (at < 500 ? 'idle' : 'busy'));
  const turn = { mayBegin: () => true, isOver: () => parts.clock.monotonic() > 400 };
  expect(await interruptTerminal(parts, turn)).toEqual({ outcome: 'no_op' });
  expect(typed).toEqual([]);
});

test('Escape waits for a delivery under way, and is not pressed when the turn ended before', async () => {
  const { parts, typed } = agentThat(() => 'busy');
  const delivery = deferred<void>();
  void parts.typing.run(() => delivery.promise);
  let isOver = false;
  const interrupting = interruptTerminal(parts, { mayBegin: () => true, isOver: () => isOver });
  isOver = true;
  delivery.resolve();
  expect(await interrupting).toEqual({ outcome: 'no_op' });
  expect(typed).toEqual([]);
});

test('an agent that goes on working gets Escape again, and at last that is said', async () => {
  const { parts, typed } = agentThat(() => 'busy');
  Object.defineProperty(parts.report, 'reportedState', { value: { state: 'busy' } });
  expect(await interruptTerminal(parts)).toMatchObject({
    outcome: 'failed',
    error: { code: 'interrupt_unanswered' },
  });
  expect(typed).toEqual(Array(4).fill(escapeKey).flat());
});
