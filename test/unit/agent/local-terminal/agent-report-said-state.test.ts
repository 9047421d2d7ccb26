import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  aheadMilliseconds,
  countingState,
  type ReportedState,
} from '../../../../src/agent/local-terminal/agent-report.js';

const said = (state: ReportedState['state'], since: number): ReportedState => ({
  state,
  since,
  waitingFor: null,
  evidence: state,
});
const asking: ReportedState = { state: 'waiting', waitingFor: 'Bash', evidence: 'hook', since: 1000 };

test.each([
  ['nothing else is said', null, 1500, asking],
  ['the tool was at work', said('busy', 900), 1500, asking],
  ['the tool says that it goes on', said('busy', 1400), 1500, said('busy', 1400)],
  ['the tool says itself that it waits', said('waiting', 1100), 1500, said('waiting', 1100)],
  ['the tool was idle: it lies, or comes late', said('idle', 900), 1500, said('idle', 900)],
  ['too long ago', said('busy', 900), 1000 + aheadMilliseconds, said('busy', 900)],
  ['too long ago, and nothing else is said', null, 1000 + aheadMilliseconds, null],
])('what a hook asks for where %s', (_what, lasting, now, counts) => {
  expect(countingState(lasting, asking, now)).toEqual(counts);
});

test('without a hook, and whenever it is over, the word of the tool counts as if there were none', () => {
  const times = fc.integer({ min: 0, max: 10_000 });
  const states = fc.option(fc.tuple(fc.constantFrom('idle', 'busy', 'waiting'), times));
  fc.assert(
    fc.property(states, times, times, (word, asked, now) => {
      const lasting = word && said(word[0] as ReportedState['state'], word[1]);
      expect(countingState(lasting, null, now)).toBe(lasting);
      const counts = countingState(lasting, { ...asking, since: asked }, now);
      if (now - asked >= aheadMilliseconds || lasting?.state === 'idle') expect(counts).toBe(lasting);
      else expect(counts?.state === 'waiting' || counts === lasting).toBe(true);
    }),
  );
});
