import { describe, expect, it } from 'vitest';
import { codexScreens } from '../../../../../src/tools/codex/screens/codex-screens.js';
import { capturedScreen, capturedScreens } from '../../../../support/screens/captures.js';
import { signalsIn } from '../../../../support/screens/detected-signals.js';
import { comparable, expectedSignals, nothingElse } from '../../../../support/screens/expected-signals.js';

const expected = expectedSignals('codex');

it('there is a word on each capture', () => {
  expect(Object.keys(expected).map((screen) => `codex/${screen}`)).toEqual(capturedScreens('codex'));
});

describe('captures', () => {
  it.each(Object.entries(expected))('%s', (screen, signals) => {
    const version = screen.split('/')[0]!;
    expect(comparable(signalsIn(codexScreens, version, capturedScreen(`codex/${screen}`)))).toEqual({
      ...nothingElse,
      ...signals,
    });
  });
});

describe('dialogs', () => {
  it.each([
    ['00-bare-home', 'Welcome to Codex,', 'Press enter to continue'],
    ['01-unlisted-git-dir', 'Folder access', 'enter continue · esc back'],
    [
      '22a-approval-dialog',
      'Would you like to run the following command?',
      'Press enter to confirm or esc to cancel',
    ],
  ])('%s is shown from its title to its keys', (screen, first, last) => {
    const { dialog } = signalsIn(codexScreens, '0.169.0', capturedScreen(`codex/0.169.0/${screen}`));
    const rows = dialog!.excerpt.split('\n');
    expect(rows[0]).toContain(first);
    expect(rows.at(-1)).toContain(last);
  });
});

describe('versions', () => {
  it.each([
    ['codex-cli 0.116.0', '0.116.x', []],
    ['0.144.9', '0.144.x', []],
    ['OpenAI Codex (v0.169.0)', '0.169.x', []],
    ['0.170.0', '0.169.x', ['newest_profile_for_newer_version']],
    ['1.2.0', '0.169.x', ['newest_profile_for_newer_version']],
    ['0.130.0', 'fallback', ['fallback_detector']],
    ['0.99.0', 'fallback', ['fallback_detector']],
    [null, 'fallback', ['fallback_detector']],
    ['a build of mine', 'fallback', ['fallback_detector']],
  ])('%s is read as %s', (version, profile, notes) => {
    const signals = signalsIn(codexScreens, version, '');
    expect(signals.detector).toEqual({ name: 'codex_tui', version: profile });
    expect(signals.notes).toEqual(notes);
  });

  it('text that a version never looked at shows may be its own', () => {
    const typed = capturedScreen('codex/0.169.0/11-typed-not-submitted');
    expect(signalsIn(codexScreens, '0.130.0', typed)).toMatchObject({
      editingInput: 'unknown',
      promptText: null,
    });
    const idle = capturedScreen('codex/0.169.0/10-ready-idle');
    expect(signalsIn(codexScreens, '0.130.0', idle)).toMatchObject({
      editingInput: 'no',
      readyPosture: 'yes',
    });
  });
});
