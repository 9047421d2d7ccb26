import { describe, expect, it } from 'vitest';
import { geminiScreens } from '../../../../src/tools/gemini/gemini-screens.js';
import type { FrameSignals } from '../../../../src/tools/screen/frame-signals.js';
import { signalsIn } from '../../../support/screens/detected-signals.js';
import { geminiScreen, prompted } from '../../../support/screens/gemini-screen.js';

const status = ' \u001b[32m⠴\u001b[0m Thinking... (esc to cancel, 2s)                 ? for shortcuts';

const seenIn = (rows: readonly string[], state = ''): FrameSignals =>
  signalsIn(geminiScreens, '0.61.0', geminiScreen({ transcript: rows, status: state }));
const turn = (...rows: string[]): FrameSignals => seenIn([prompted('go'), ...rows]);

describe('work', () => {
  it('is seen by the row above the rule', () => {
    expect(seenIn([prompted('go'), '✦ An answer'], status)).toMatchObject({
      activeReasons: ['status_row'],
      statusLine: 'Thinking... (esc to cancel, 2s)',
      readyPosture: 'no',
      acceptingInput: 'yes',
      successBlocked: true,
    });
  });

  it('also where the row has no spinner or is not alone', () => {
    expect(seenIn([prompted('go')], ' Working hard (esc to cancel)').activeReasons).toEqual(['status_row']);
    expect(seenIn([prompted('go')], `${status}\n 1 shell   ? for shortcuts`).activeReasons).toEqual([
      'status_row',
    ]);
  });

  it('is not seen in the transcript', () => {
    expect(turn('✦ It says', status, '', '  and goes on.').activeReasons).toEqual([]);
  });

  it('is above a failure or an interrupt', () => {
    for (const row of ['✕ [API Error: x]', 'ℹ Request cancelled.']) {
      expect(seenIn([prompted('go'), row], status)).toMatchObject({
        interrupted: false,
        currentError: false,
        knownFailure: false,
        notes: ['prompt_kind=placeholder'],
      });
    }
  });
});

describe('how the latest turn stands', () => {
  it.each<[string, string[], Partial<FrameSignals>]>([
    ['only asked', [], { successCandidate: false, successBlocked: false }],
    ['answered', ['✦ An answer'], { successCandidate: true, statusLine: null }],
    ['answered by a tool', ['╭────╮', '│ ✓  Shell', '╰────╯'], { successCandidate: true }],
    ['a tool that runs', ['╭────╮', '│ ⊷  Shell', '╰────╯'], { successCandidate: false }],
    [
      'interrupted',
      ['✦ An', '', 'ℹ Request cancelled.'],
      { interrupted: true, currentError: false, successCandidate: false, statusLine: 'Request cancelled.' },
    ],
    [
      'failed',
      ['✦ An', '✕ [API Error: x]'],
      { currentError: true, knownFailure: true, interrupted: false, statusLine: '[API Error: x]' },
    ],
    ['failed in other words', ['✕ It broke', 'ℹ This request failed. Press F12'], { knownFailure: true }],
    ['no such command', ['✕ Unknown command: /x'], { currentError: true, knownFailure: false }],
    [
      'answered after all',
      ['✕ [API Error: x]', '✦ An answer'],
      { currentError: false, successCandidate: true },
    ],
    [
      'what an answer quotes',
      ['✦ It says', '  ℹ Request cancelled.', '  ✕ [API Error: x]', '   > and asks'],
      { currentError: false, interrupted: false, successCandidate: true },
    ],
    ['what a user quotes', ['  ✦ An answer', '  │ ✓  Shell'], { successCandidate: false }],
    ['a word of another kind', ['ℹ Request noted.'], { interrupted: false, successCandidate: false }],
  ])('%s', (_, rows, signals) => {
    expect(turn(...rows)).toMatchObject({ readyPosture: 'yes', ...signals });
  });

  it('is shown among the notes, and the conversation can go on', () => {
    expect(turn('✕ [API Error: x]').notes).toEqual(['prompt_kind=placeholder', 'current_error_present']);
    expect(turn('✦ An answer').notes).toEqual(['prompt_kind=placeholder']);
    expect(turn('✕ [API Error: x]').chatContext).toEqual({ state: 'current', diagnostic: null });
  });

  it('by nothing above its prompt', () => {
    const rows = [prompted('first'), '✕ [API Error: x]', 'ℹ Request cancelled.', '✦ Old', prompted('second')];
    expect(seenIn(rows)).toMatchObject({ interrupted: false, currentError: false, successCandidate: false });
  });

  it('by nothing above the banner', () => {
    expect(seenIn(['✦ Old', ' ▝▜▄  Gemini CLI v0.61.0', ''])).toMatchObject({ successCandidate: false });
  });

  it('answered, where its prompt is out of sight', () => {
    expect(seenIn(['  the end of an answer']).successCandidate).toBe(true);
    expect(seenIn([]).successCandidate).toBe(false);
  });
});

describe('prompts that wait', () => {
  const queue = ['  Queued (press ↑ to edit):', '    more'];

  it('are there, are not, or are not known', () => {
    expect(seenIn([prompted('go'), '', ...queue], status).pendingInput).toBe('yes');
    expect(turn('✦ An answer').pendingInput).toBe('no');
    expect(signalsIn(geminiScreens, '0.61.0', queue.join('\n')).pendingInput).toBe('unknown');
  });

  it('are not there in what an answer quotes', () => {
    expect(turn('  It says:   Queued (press ↑ to edit):').pendingInput).toBe('no');
    expect(turn('  Queued (press ↑ to edit): and more').pendingInput).toBe('no');
  });

  it('are there no more once something follows', () => {
    expect(turn(...queue, '✦ An answer').pendingInput).toBe('no');
    expect(seenIn([...queue, prompted('go')]).pendingInput).toBe('no');
  });
});
