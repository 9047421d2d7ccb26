import { expect, test } from 'vitest';
import { interruptTerminal } from '../../../../src/agent/local-terminal/interrupt-terminal.js';
import type { TerminalParts } from '../../../../src/agent/local-terminal/terminal-parts.js';
import type { KeySegment } from '../../../../src/terminal/key-sequence.js';
import type { AgentState } from '../../../../src/tools/self-report/self-report.js';

/** An agent that says of itself what `said` gives for a time in milliseconds, until Escape is pressed. */
function agentThat(said: (at: number) => AgentState) {
  const typed: KeySegment[] = [];
  let at = 0;
  const pane = { type: async (keys: readonly KeySegment[]) => void typed.push(...keys) };
  const parts = {
    clock: {
      monotonic: () => at,
      sleep: async (ms: number) => {
        at += ms;
      },
    },
    report: {
      get said() {
        return { state: typed.length > 0 ? 'idle' : said(at) };
      },
    },
    watch: {
      ...{ tracker: { signals: null, noteInterrupt: () => undefined }, status: null, tool: null },
      ...{
        look: async () => ({ probe: null }),
        stirred: () => new Promise(() => undefined),
        pane: async () => pane,
      },
    },
  } as unknown as TerminalParts;
  return { parts, typed };
}

const escapeKey = [{ key: 'Escape' }];

test('an agent at work gets Escape', async () => {
  const { parts, typed } = agentThat(() => 'busy');
  expect(await interruptTerminal(parts)).toEqual({ outcome: 'stopped', signal: null });
  expect(typed).toEqual(escapeKey);
});

test('an idle one gets no key', async () => {
  const { parts, typed } = agentThat(() => 'idle');
  expect(await interruptTerminal(parts)).toEqual({ outcome: 'no_op' });
  expect(typed).toEqual([]);
});

test('one that has just taken a prompt gets Escape as soon as it is seen at work', async () => {
  const { parts, typed } = agentThat((at) => (at < 500 ? 'idle' : 'busy'));
  expect(await interruptTerminal(parts, () => false)).toEqual({ outcome: 'stopped', signal: null });
  expect(typed).toEqual(escapeKey);
});

test.each([
  ['whose turn ends meanwhile', (at: number) => at > 300],
  ['that is never seen at work', () => false],
])('one %s gets no key', async (_which, isOver) => {
  const { parts, typed } = agentThat(() => 'idle');
  expect(await interruptTerminal(parts, () => isOver(parts.clock.monotonic()))).toEqual({ outcome: 'no_op' });
  expect(typed).toEqual([]);
});
