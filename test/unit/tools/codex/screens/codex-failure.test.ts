import { describe, expect, it } from 'vitest';
import { codexScreens } from '../../../../../src/tools/codex/screens/codex-screens.js';
import type { FrameSignals } from '../../../../../src/tools/screen/frame-signals.js';
import { codexScreen, prompted, working } from '../../../../support/screens/codex-screen.js';
import { signalsIn } from '../../../../support/screens/detected-signals.js';

const signalsBelow = (...rows: string[]): FrameSignals =>
  signalsIn(codexScreens, '0.144.0', codexScreen({ transcript: [prompted('go'), ...rows] }));

describe('failures', () => {
  it.each([
    ['■ The model is at capacity. Try again later.', true],
    ['■ We are experiencing high demand.', true],
    ['■ You ran out of room in the context window.', true],
    ['■ exceeded retry limit, last status: 429 Too Many Requests', true],
    ['■ unexpected status 500 Internal Server Error', true],
    ['■ No such command', false],
    ['■ The overloaders have arrived', false],
  ])('%s', (row, knownFailure) => {
    expect(signalsBelow('• Working on it', row)).toMatchObject({
      currentError: true,
      knownFailure,
      successCandidate: false,
      successBlocked: true,
      readyPosture: 'yes',
      statusLine: row.slice(2),
      chatContext: { state: 'current', diagnostic: null },
    });
  });

  it('is shown among the notes', () => {
    expect(signalsBelow('■ No such command').notes).toContain('current_error_present');
    expect(signalsBelow('■ Compact failed').notes).toContain('chat_context=degraded');
    expect(signalsBelow('• Done').notes).toEqual(['prompt_kind=placeholder']);
  });

  it('one that goes on over rows is read as one', () => {
    const signals = signalsBelow('■ The model is at', '  capacity.');
    expect(signals).toMatchObject({ knownFailure: true, statusLine: 'The model is at capacity.' });
  });

  it('a warning is one only where its words are those of a failure', () => {
    expect(signalsBelow('⚠ The server is overloaded')).toMatchObject({
      currentError: true,
      knownFailure: true,
    });
    expect(signalsBelow('⚠ A new version is there')).toMatchObject({
      currentError: false,
      knownFailure: false,
    });
  });

  it.each([
    [['■ It failed', '• And then it worked']],
    [['■ It failed', '  1', '  2', '  3', '  4', '  5']],
    [['■ It failed', prompted('again'), '• Done']],
    [['■ It failed', working(1)]],
  ])('%j is none any more', (rows) => {
    expect(signalsBelow(...rows)).toMatchObject({ currentError: false, knownFailure: false });
  });
});

describe('interrupts', () => {
  const banner = '■ Conversation interrupted - tell the model what to do differently.';

  it('the word of it, wrapped or not', () => {
    expect(signalsBelow(banner)).toMatchObject({
      interrupted: true,
      currentError: false,
      successBlocked: true,
    });
    expect(signalsBelow('■ Conversation', 'interrupted - tell the model')).toMatchObject({
      interrupted: true,
    });
    expect(signalsBelow(banner, '  └ Tip: something')).toMatchObject({ interrupted: true });
  });

  it('not once something followed', () => {
    expect(signalsBelow(banner, '• Going on')).toMatchObject({ interrupted: false });
    expect(signalsBelow(banner, working(1))).toMatchObject({ interrupted: false });
    expect(signalsBelow(banner, prompted('again'), '• Done')).toMatchObject({
      interrupted: false,
      successCandidate: true,
    });
  });
});

describe('a conversation that could not be compacted', () => {
  it.each([
    ['stream_disconnected', '■ Error running remote compact task: stream disconnected before completion'],
    ['context_length_exceeded', '■ Compaction failed: context_length_exceeded'],
    ['unknown_parameter', '■ Error running remote compact task: Unknown parameter: x'],
    ['server_error', '■ Error running remote compact task: 503 Service Unavailable'],
  ])('%s', (type, row) => {
    expect(signalsBelow(row)).toMatchObject({
      knownFailure: false,
      currentError: true,
      chatContext: {
        state: 'degraded',
        diagnostic: { degradedErrorType: `codex_remote_compact_${type}`, messagePreview: row },
      },
    });
  });

  it('for a reason that is not known, in at most 240 characters', () => {
    const { chatContext } = signalsBelow(`■ Compact failed ${'🙂 '.repeat(300)}`);
    expect(chatContext.diagnostic?.degradedErrorType).toBe('unknown');
    expect(chatContext.diagnostic?.messagePreview).toMatch(/^■ Compact failed 🙂 .*\.\.\.$/u);
    expect(Array.from(chatContext.diagnostic!.messagePreview)).toHaveLength(240);
  });
});
