import { describe, expect, it } from 'vitest';
import { geminiScreens } from '../../../../src/tools/gemini/gemini-screens.js';
import { capturedScreen, capturedScreens } from '../../../support/screens/captures.js';
import { signalsIn } from '../../../support/screens/detected-signals.js';
import { comparable, expectedSignals, nothingElse } from '../../../support/screens/expected-signals.js';

const expected = expectedSignals('gemini');

it('there is a word on each capture', () => {
  expect(Object.keys(expected).map((screen) => `gemini/${screen}`)).toEqual(capturedScreens('gemini'));
});

describe('captures', () => {
  it.each(Object.entries(expected))('%s', (screen, signals) => {
    const version = screen.split('/')[0]!;
    expect(comparable(signalsIn(geminiScreens, version, capturedScreen(`gemini/${screen}`)))).toEqual({
      ...nothingElse,
      ...signals,
    });
  });
});

describe('dialogs', () => {
  it.each([
    ['00-bare-home', 'Do you trust the files in this folder?', "  3. Don't trust"],
    ['00b-bare-after-enter', '? Get started', 'https://geminicli.com/docs/resources/tos-privacy/'],
    ['22a-approval-dialog', '? Shell  touch /home/agents/proj/g2', '  3. No, suggest changes (esc)'],
  ])('%s is shown without its box', (screen, first, last) => {
    const { dialog } = signalsIn(geminiScreens, '0.61.0', capturedScreen(`gemini/0.61.0/${screen}`));
    const rows = dialog!.excerpt.split('\n');
    expect(rows[0]).toBe(first);
    expect(rows.at(-1)!.trim()).toBe(last.trim());
  });
});

describe('versions', () => {
  it.each([
    ['0.61.2', '0.61.x', []],
    ['Gemini CLI v0.62.0', '0.61.x', ['newest_profile_for_newer_version']],
    ['0.38.1', 'fallback', ['fallback_detector']],
    [null, 'fallback', ['fallback_detector']],
  ])('%s is read as %s', (version, profile, notes) => {
    const signals = signalsIn(geminiScreens, version, '');
    expect(signals.detector).toEqual({ name: 'gemini_cli', version: profile });
    expect(signals.notes).toEqual(notes);
  });

  it('text that a version never looked at shows may be its own', () => {
    const typed = capturedScreen('gemini/0.61.0/11-typed-not-submitted');
    expect(signalsIn(geminiScreens, null, typed)).toMatchObject({
      editingInput: 'unknown',
      promptText: null,
    });
    const idle = capturedScreen('gemini/0.61.0/10-ready-idle');
    expect(signalsIn(geminiScreens, null, idle)).toMatchObject({ editingInput: 'no', readyPosture: 'yes' });
  });
});
