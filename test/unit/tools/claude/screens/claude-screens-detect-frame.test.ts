import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FrameSignals } from '../../../../../src/tools/screen/frame-signals.js';
import { surfaceSignatureOf } from '../../../../../src/tools/screen/frame-signals.js';
import { toStyledRows } from '../../../../../src/tools/screen/styled-rows.js';
import { capturedScreen, capturedScreens } from '../../../../support/screens/captures.js';
import {
  claudeScreen,
  detectClaude,
  rule,
  workingFooter,
} from '../../../../support/screens/claude-screen.js';

const captures = capturedScreens('claude').map(capturedScreen);
const versions = fc.constantFrom('2.1.330', '2.5', null);

/** Rows like those of Claude Code's screens, in any order. */
const anyRows = fc.array(
  fc.oneof(
    fc.constantFrom(
      ...[
        '',
        rule,
        '❯\u00a0',
        '❯ text',
        '  ❯ 1. Yes',
        '    2. No',
        '❯ 1. Yes',
        '  2. No',
        '  /compact   Free up',
      ],
      ...[
        '● Done.',
        '⏺',
        '✻ Baking…',
        '✻ Baked for 2s',
        '  ⎿  Interrupted · What',
        '  ⎿  Queued · x',
        '❯ /co',
      ],
      ...[
        '  esc to interrupt',
        '  Enter to confirm · Esc to cancel',
        'Claude Code v2.1.330',
        '● API Error: 500',
      ],
      ...[`${rule}\n❯ text\n${rule}`, `${rule}\n❯\n${rule}`, `${rule}\n❯ /co\n${rule}`, `❯ do it\n\n● Done.`],
      ...['\u001b[2m', '\u001b[0;38;5;231;48;5;237m', '\u001b[0m', 'me@here:~$', 'Resume this session with:'],
    ),
    fc.string({ unit: 'binary' }),
  ),
  { maxLength: 40 },
);
const withoutSignature = ({ surfaceSignature, ...seen }: FrameSignals) => seen;

describe('any text', () => {
  it('is read without a fault, the same way each time, and without changing it', () => {
    fc.assert(
      fc.property(anyRows, versions, (rows, version) => {
        const capture = rows.join('\n');
        const seen = detectClaude(capture, version);
        expect(detectClaude(capture, version)).toEqual(seen);
        expect(seen.surfaceSignature).toBe(surfaceSignatureOf(toStyledRows(capture)));
      }),
      { numRuns: 500 },
    );
  });

  it('never shows what cannot be at the same time', () => {
    fc.assert(
      fc.property(anyRows, versions, (rows, version) => {
        const seen = detectClaude(rows.join('\n'), version);
        if (seen.readyPosture === 'yes') {
          expect(seen).toMatchObject({
            acceptingInput: 'yes',
            promptVisible: true,
            dialog: null,
            overlay: null,
          });
          expect(seen.activeReasons).toEqual([]);
        }
        if (seen.dialog !== null)
          expect(seen).toMatchObject({ acceptingInput: 'no', readyPosture: 'no', promptText: null });
        if (seen.successCandidate) {
          expect(seen).toMatchObject({
            promptVisible: true,
            successBlocked: false,
            interrupted: false,
            knownFailure: false,
          });
        }
        expect(seen.promptText === null).toBe(seen.editingInput !== 'yes');
      }),
      { numRuns: 1000 },
    );
  });

  it('without a composer is never ready', () => {
    const foreign = fc.array(fc.string({ unit: 'binary' }).map((text) => text.replaceAll('❯', '>')));
    fc.assert(
      fc.property(foreign, versions, (rows, version) => {
        const seen = detectClaude(rows.join('\n'), version);
        expect(seen.readyPosture).not.toBe('yes');
        expect(seen).toMatchObject({
          acceptingInput: expect.not.stringMatching('yes'),
          promptText: null,
          successCandidate: false,
        });
      }),
    );
  });
});

describe('what was on the screen before', () => {
  it('does not change what a screen shows that has the last prompt or a dialog', () => {
    const whole = captures.filter(
      (capture) => !detectClaude(capture).notes.includes('latest_turn_anchor_missing'),
    );
    expect(whole.length).toBeGreaterThan(50);
    fc.assert(
      fc.property(fc.constantFrom(...whole), anyRows, versions, (capture, above, version) => {
        const before = ['', ...above.filter((row) => !row.includes('\u001b')), ''].join('\n');
        expect(withoutSignature(detectClaude(`${before}\n${capture}`, version))).toEqual(
          withoutSignature(detectClaude(capture, version)),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('does not count, such as a composer above what another program says', () => {
    const rows = Array.from({ length: 30 }, (_, index) => `  line ${index}`);
    for (const below of [
      ['', '● Text'],
      ['❯ prompt', ''],
      rows,
      ['Resume this session with:'],
      ['me@here:~/work$'],
    ]) {
      expect(detectClaude([claudeScreen([]), ...below].join('\n')).acceptingInput).toBe('unknown');
    }
  });
});

it('the signature is of all rows, also of those that are not read', () => {
  const rows = Array.from({ length: 400 }, (_, index) => `line ${index}`);
  const signature = (first: string): string => detectClaude([first, ...rows].join('\n')).surfaceSignature;
  expect(signature('one')).not.toBe(signature('other'));
});

it('empty rows below change nothing', () => {
  for (const capture of captures) expect(detectClaude(`${capture}\n\n  \n\n`)).toEqual(detectClaude(capture));
});

describe('versions', () => {
  it('above the known ones are read like the newest known, and it is said', () => {
    const seen = detectClaude(claudeScreen([], ['❯ text']), '2.2.0 (Claude Code)');
    expect(seen.detector).toEqual({ name: 'claude_code', version: '2.1.x' });
    expect(seen.notes).toContain('newest_profile_for_newer_version');
    expect(seen.promptText).toBe('text');
    expect(detectClaude(claudeScreen([]), '2.1.0').notes).not.toContain('newest_profile_for_newer_version');
  });

  it.each(['2.0.99', '1.0', 'something', null])('%s leaves open whether text was typed', (version) => {
    const seen = detectClaude(claudeScreen([], ['❯ text']), version);
    expect(seen).toMatchObject({ editingInput: 'unknown', promptText: null, readyPosture: 'yes' });
    expect(seen.detector.version).toBe('fallback');
    expect(seen.notes).toContain('fallback_detector');
    expect(detectClaude(claudeScreen([], ['❯ \u001b[2mplaceholder\u001b[0m']), version).editingInput).toBe(
      'no',
    );
  });
});

it('a composer is known with a name in its rule, and with many rows', () => {
  const named = [
    '● Done.',
    '',
    `${'─'.repeat(20)} my session ──`,
    '❯ one',
    '',
    '  two',
    rule,
    '  footer',
  ].join('\n');
  expect(detectClaude(named)).toMatchObject({ promptText: 'one\n\ntwo', readyPosture: 'yes' });
});

it('an agent at work takes a draft and is not ready', () => {
  expect(detectClaude(claudeScreen(['❯ one', '', '✻ Baking…'], ['❯ two'], workingFooter))).toMatchObject({
    acceptingInput: 'yes',
    editingInput: 'yes',
    readyPosture: 'unknown',
    promptText: 'two',
  });
});
