import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { endingOf, type TurnView } from '../../../../src/agent/local-terminal/turn-ending.js';
import type { TurnEnded } from '../../../../src/tools/self-report/self-report.js';
import { judge } from '../../../../src/turn/turn-end.js';

const ended: TurnEnded = {
  kind: 'turn_ended',
  outcome: 'completed',
  settled: true,
  answer: 'done',
  model: null,
  usage: null,
  error: null,
  conversation: 'c',
  turn: null,
  evidence: 'row',
  at: null,
};
const going: TurnView = {
  at: 10_000,
  lost: null,
  ended: null,
  dropped: false,
  said: 'busy',
  named: true,
  readySince: null,
  worked: true,
  command: false,
  held: false,
  screen: { result: 'none', source: 'none' },
};
const success = { result: 'success', source: 'explicit_input' } as const;
const verdictOf = (view: Partial<TurnView>) => {
  const signs = endingOf({ ...going, ...view });
  return signs && { ...judge(signs, null), answer: signs.answer?.text ?? null };
};

test('a turn goes on while the agent works, whatever the screen shows', () => {
  expect(verdictOf({})).toBeNull();
  expect(verdictOf({ screen: success })).toBeNull();
  expect(verdictOf({ ended: { ...ended, settled: false } })).toBeNull();
});

describe('by the word of the agent it is', () => {
  test('completed, with its answer and conversation', () => {
    expect(verdictOf({ ended })).toEqual({ outcome: 'completed', error: null, answer: 'done' });
    expect(endingOf({ ...going, ended })?.sessionId).toBe('c');
  });
  test.each([
    ['it is idle', { said: 'idle' }],
    ['the terminal is ready', { readySince: 10_000 }],
    ['the tool is gone', { lost: 'the tool ended' }],
  ] as const)('completed when it may go on by itself, once %s', (_when, more) => {
    expect(verdictOf({ ended: { ...ended, settled: false }, ...more })?.outcome).toBe('completed');
  });
  test('failed, in its words', () => {
    const error = { message: 'API Error: 529 overloaded', code: null, status: 529 };
    expect(verdictOf({ ended: { ...ended, outcome: 'failed', answer: null, error } })).toMatchObject({
      outcome: 'failed',
      error: { detail: expect.stringContaining('529') },
    });
    expect(verdictOf({ ended: { ...ended, outcome: 'failed', error: null } })?.error?.code).toBe(
      'agent_failed',
    );
  });
  test('interrupted, with what there is of the answer', () => {
    expect(verdictOf({ ended: { ...ended, outcome: 'interrupted', answer: 'half' } })).toMatchObject({
      outcome: 'interrupted',
      error: { code: 'interrupted' },
      answer: 'half',
    });
  });
  test.each(['completed', 'failed', 'interrupted'] as const)('%s, with what it used', (outcome) => {
    const used = { ...ended, outcome, model: 'opus', usage: { output_tokens: 7, details: {} } };
    expect(endingOf({ ...going, ended: used })?.usage).toEqual({
      model: 'opus',
      scope: 'turn',
      amounts: { output_tokens: 7 },
    });
    expect(endingOf({ ...going, ended: { ...ended, outcome } })?.usage).toBeNull();
  });
});

test('it failed when the tool is gone without a word', () => {
  expect(verdictOf({ lost: 'the tool ended' })).toMatchObject({
    outcome: 'failed',
    error: { code: 'agent_crashed', detail: 'While the turn ran, the tool ended.' },
  });
});

test('it was interrupted when the agent put the prompt back', () => {
  expect(verdictOf({ dropped: true })?.outcome).toBe('interrupted');
});

describe('by the screen, once both witnesses are ready,', () => {
  const ready = { said: 'idle', readySince: 10_000 } as const;
  test.each([
    ['success', 'completed'],
    ['interrupted', 'interrupted'],
    ['known_failure', 'failed'],
  ] as const)('%s is %s at once where the agent named no row', (result, outcome) => {
    const screen = { result, source: 'explicit_input' } as const;
    expect(verdictOf({ ...ready, named: false, screen })?.outcome).toBe(outcome);
  });
  test('it waits two seconds for the word of an agent that named the prompt', () => {
    expect(verdictOf({ ...ready, at: 11_999, screen: success })).toBeNull();
    expect(verdictOf({ ...ready, at: 12_000, screen: success })?.outcome).toBe('completed');
  });
  test('how it ended is not known when nothing shows it for five seconds', () => {
    expect(verdictOf({ ...ready, at: 14_999 })).toBeNull();
    expect(verdictOf({ ...ready, at: 15_000 })).toMatchObject({
      outcome: 'failed',
      error: { code: 'no_result' },
    });
  });
  test('a command of the tool is completed when it has been ready for five seconds', () => {
    const command = { ...ready, named: false, command: true };
    expect(verdictOf({ ...command, at: 14_999 })).toBeNull();
    expect(verdictOf({ ...command, at: 15_000 })).toMatchObject({ outcome: 'completed', answer: null });
  });
  test('an agent that named the prompt and was not seen at work since has a minute to begin', () => {
    const silent = { ...ready, worked: false };
    expect(verdictOf({ ...silent, at: 69_999, screen: success })).toBeNull();
    expect(verdictOf({ ...silent, at: 70_000 })?.error?.code).toBe('no_result');
    expect(verdictOf({ ...silent, at: 12_000, ended })?.outcome).toBe('completed');
    expect(verdictOf({ ...silent, at: 15_000, named: false })?.error?.code).toBe('no_result');
  });
  test('so has one that accepted it while hooks may hold it back', () => {
    const held = { ...ready, worked: false, named: false, held: true };
    expect(verdictOf({ ...held, at: 69_999, screen: success })).toBeNull();
    expect(verdictOf({ ...held, at: 70_000, screen: success })?.outcome).toBe('completed');
    expect(verdictOf({ ...held, screen: success, worked: true })?.outcome).toBe('completed');
  });
});

test('whatever is seen: a terminal that is ready for long has no turn, and none ends without a reason', () => {
  const view = fc.record<TurnView>({
    at: fc.constant(80_000),
    lost: fc.option(fc.constant('the tool ended')),
    ended: fc
      .option(
        fc.record({ outcome: fc.constantFrom('completed', 'failed', 'interrupted'), settled: fc.boolean() }),
      )
      .map((more) => more && { ...ended, ...more }) as fc.Arbitrary<TurnEnded | null>,
    dropped: fc.boolean(),
    said: fc.constantFrom('idle', 'busy', 'waiting', null),
    held: fc.boolean(),
    named: fc.boolean(),
    worked: fc.boolean(),
    command: fc.boolean(),
    screen: fc.record({
      result: fc.constantFrom('none', 'success', 'interrupted', 'known_failure'),
      source: fc.constant('explicit_input'),
    }),
    readySince: fc.option(fc.integer({ min: 0, max: 80_000 })),
  });
  fc.assert(
    fc.property(view, (seen) => {
      const signs = endingOf(seen);
      const begins = seen.named || seen.held;
      const enough = seen.worked || !begins ? 75_000 : 20_000;
      if (seen.readySince !== null && seen.readySince <= enough) expect(signs).not.toBeNull();
      if (seen.lost !== null) expect(signs).not.toBeNull();
      const quiet = seen.lost === null && seen.ended === null && !seen.dropped && seen.readySince === null;
      if (quiet) expect(signs).toBeNull();
      if (signs && judge(signs, null).outcome === 'completed')
        expect(seen.ended?.outcome === 'completed' || seen.screen.result === 'success' || seen.command).toBe(
          true,
        );
    }),
  );
});
