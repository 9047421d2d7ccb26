import { describe, expect, it } from 'vitest';
import { TurnReading } from '../../../src/run/turn-reading.js';
import type {
  AnswerPart,
  CanonicalDraft,
  FailureSigns,
  ToolAdapter,
} from '../../../src/tools/adapter/tool-adapter.js';

const million = 1024 * 1024;
type Event = CanonicalDraft & { session_id: string | null };
const event = (kind: string, message: string, data: object = {}, session: string | null = null): Event =>
  ({ kind, message, data, session_id: session }) as unknown as Event;

function reader(secrets: string[] = []) {
  const asked: FailureSigns[] = [];
  const adapter = {
    promptTaken: (one: CanonicalDraft) => (one.message === 'init' ? 'init row' : null),
    answerPart: (one: CanonicalDraft): AnswerPart | null =>
      one.message.startsWith('+')
        ? { mode: 'append', text: one.message.slice(1) }
        : one.message.startsWith('=')
          ? { mode: 'replace', text: one.message.slice(1) }
          : null,
    sessionLost: (failure: FailureSigns) => {
      asked.push(failure);
      return true;
    },
  } as unknown as ToolAdapter;
  return { reading: new TurnReading(adapter, secrets), asked };
}
const end = { startFault: null, exitCode: 1, signal: null, supervisorLost: false, stderrTail: '' };

describe('what a turn’s events say', () => {
  it('names the conversation once, the first one', () => {
    const { reading } = reader();
    expect(reading.take(event('x', 'init', {}, null))).toBe('init row');
    for (const session of ['s1', 's2']) reading.take(event('x', '', {}, session));
    expect(reading.signs(end).sessionId).toBe('s1');
  });

  it('is not ended by a result of no turn after its own', () => {
    const { reading } = reader();
    reading.take(event('completion', '=answer', { status: 'success' }));
    expect(
      reading.take(event('completion', '=no conversation', { status: 'error', of_no_turn: true })),
    ).toBeNull();
    expect(reading.signs(end)).toMatchObject({
      completion: { successful: true },
      lastError: null,
      answer: { text: 'answer' },
    });
  });

  it('has failed by a result of no turn where there is no other', () => {
    const { reading } = reader();
    reading.take(event('completion', 'not signed in', { status: 'error', of_no_turn: true }));
    expect(reading.signs(end)).toMatchObject({
      completion: { successful: false },
      lastError: 'not signed in',
    });
  });

  it('tells what the turn used, as its last completion has it, and the model of its first row', () => {
    const { reading } = reader();
    expect(reading.signs(end).usage).toBeNull();
    const first = (model: string) => ({ ...event('session', ''), raw_payload: { model } });
    for (const model of ['opus', 'sonnet']) reading.take(first(model));
    expect(reading.signs(end).usage).toEqual({ model: 'opus', scope: 'turn', amounts: {} });
    reading.take(
      event('completion', '', { status: 'success', usage: { input_tokens: 5, of: { cache: 1 } } }),
    );
    expect(reading.signs(end).usage).toEqual({ model: 'opus', scope: 'turn', amounts: { input_tokens: 5 } });
    const whole = { status: 'success', usage: { input_tokens: 9 }, usage_scope: 'conversation' };
    reading.take(event('completion', '', whole));
    expect(reading.signs(end).usage).toMatchObject({ scope: 'conversation', amounts: { input_tokens: 9 } });
  });

  it('keeps the last completion and the last error', () => {
    const { reading } = reader();
    reading.take(event('diagnostic', 'first', { severity: 'error' }));
    reading.take(event('diagnostic', 'only a warning', { severity: 'warning' }));
    expect(reading.signs(end)).toMatchObject({ lastError: 'first', completion: null });
    reading.take(event('completion', 'it broke', { status: 'error' }));
    expect(reading.signs(end)).toMatchObject({
      lastError: 'it broke',
      completion: { successful: false, message: 'it broke' },
    });
    reading.take(event('completion', 'well', { status: 'success' }));
    expect(reading.signs(end).completion).toEqual({ successful: true, message: 'well' });
  });

  it('asks whether the conversation is lost only when the turn failed', () => {
    const { reading, asked } = reader();
    expect(reading.signs(end).sessionLost).toBe(true);
    expect(asked).toHaveLength(1);
    reading.take(event('completion', '', { status: 'success' }));
    expect(reading.signs(end).sessionLost).toBe(false);
    expect(asked).toHaveLength(1);
  });

  it('puts the answer together, and starts over when asked to', () => {
    const { reading } = reader();
    for (const text of ['+a', '+b', '=c', '+d']) reading.take(event('x', text));
    expect(reading.signs(end).answer).toEqual({ text: 'cd', truncated: false });
  });

  it('an answer that is too long is cut, says so, and grows no further', () => {
    const { reading } = reader();
    reading.take(event('x', `+${'a'.repeat(million)}`));
    expect(reading.signs(end).answer?.truncated).toBe(false);
    reading.take(event('x', '+b'));
    reading.take(event('x', '+c'));
    const { answer } = reading.signs(end);
    expect([answer?.text.length, answer?.truncated, answer?.text.endsWith('a')]).toEqual([
      million,
      true,
      true,
    ]);
    reading.take(event('x', '=short'));
    expect(reading.signs(end).answer).toEqual({ text: 'short', truncated: false });
  });

  it('repeats no secret in what it keeps of errors', () => {
    const { reading } = reader(['HUNTER22']);
    reading.take(event('completion', 'bad key HUNTER22', { status: 'error' }));
    const signs = reading.signs({ ...end, stderrTail: 'key HUNTER22 refused' });
    expect(JSON.stringify(signs)).not.toContain('HUNTER22');
    expect(signs.stderrTail).toBe('key [redacted] refused');
  });

  it('leaves no half of a secret at the front of what it keeps of stderr', () => {
    const { reading } = reader(['HUNTER22']);
    const { stderrTail } = reading.signs({ ...end, stderrTail: `HUNTER22${'x'.repeat(4092)}` });
    expect(stderrTail.length).toBeLessThanOrEqual(4096);
    expect(stderrTail).not.toMatch(/ER22/);
  });

  it('counts the rows that were too long', () => {
    const { reading } = reader();
    reading.oversizedRow();
    reading.oversizedRow();
    expect(reading.signs(end).oversizedRows).toBe(2);
  });
});
