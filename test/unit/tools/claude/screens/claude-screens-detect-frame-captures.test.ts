import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { claudeScreens } from '../../../../../src/tools/claude/screens/claude-screens.js';
import type { FrameSignals } from '../../../../../src/tools/screen/frame-signals.js';
import { toStyledRows } from '../../../../../src/tools/screen/styled-rows.js';
import { capturedScreen, capturedScreens } from '../../../../support/screens/captures.js';

type Seen = Partial<Omit<FrameSignals, 'dialog'>> & { dialog?: string | null; active?: boolean };

const quiet = { active: false, interrupted: false, knownFailure: false, currentError: false } as const;
const ready: Seen = {
  ...quiet,
  acceptingInput: 'yes',
  editingInput: 'no',
  readyPosture: 'yes',
  pendingInput: 'no',
  promptText: null,
  successCandidate: false,
  dialog: null,
  overlay: null,
};
const nothing: Seen = {
  ...quiet,
  acceptingInput: 'unknown',
  editingInput: 'unknown',
  readyPosture: 'unknown',
  pendingInput: 'unknown',
  promptText: null,
  successCandidate: false,
  dialog: null,
};
/** The look of each state of Claude Code; the table names what else is seen in a screen. */
const states: Readonly<Record<string, Seen>> = {
  ready,
  answered: { ...ready, successCandidate: true },
  draft: { ...ready, editingInput: 'yes' },
  working: { ...ready, readyPosture: 'unknown', active: true, successBlocked: true },
  interrupted: { ...ready, interrupted: true },
  failed: { ...ready, knownFailure: true, currentError: true, successBlocked: true },
  menu: {
    ...ready,
    editingInput: 'yes',
    readyPosture: 'unknown',
    pendingInput: 'unknown',
    overlay: 'slash_command',
    interrupted: true,
  },
  dialog: { ...nothing, acceptingInput: 'no', readyPosture: 'no', successBlocked: true },
  'startup failure': { ...nothing, currentError: true },
  unknown: nothing,
};
const table = JSON.parse(
  readFileSync(new URL('../../../../fixtures/screens/claude/expected.json', import.meta.url), 'utf8'),
) as [screen: string, state: string, more?: Seen][];

const detect = (capture: string, version: string): FrameSignals =>
  claudeScreens.profileFor(version).detect({ rows: toStyledRows(capture), at: 0 }, []);

describe('screens of Claude Code', () => {
  it.each(table)('%s: %s', (screen, state, more) => {
    const wanted = { ...states[state]!, ...more };
    const signals = detect(capturedScreen(`claude/${screen}`), screen);
    const seen: Seen = {
      ...signals,
      dialog: signals.dialog?.kind ?? null,
      active: signals.activeReasons.length > 0,
    };
    expect(seen).toMatchObject(wanted);
    expect(signals.detector).toEqual({ name: 'claude_code', version: '2.1.x' });
  });

  it('are all in the table', () => {
    expect(table.map(([screen]) => `claude/${screen}`).sort()).toEqual(capturedScreens('claude'));
  });

  it('say the same in a version that nobody has looked at, but for what is typed', () => {
    for (const [screen, state] of table) {
      const capture = capturedScreen(`claude/${screen}`);
      const { editingInput, promptText, notes, detector, ...known } = detect(capture, '2.1.330');
      const unknown = detect(capture, 'no version');
      expect(unknown, screen).toMatchObject(known);
      expect(unknown.detector.version).toBe('fallback');
      if (editingInput === 'yes')
        expect([unknown.editingInput, unknown.promptText]).toEqual(['unknown', null]);
      else expect(unknown.editingInput, state).toBe(editingInput);
    }
  });
});

describe('the words on a screen', () => {
  it.each([
    ['12-working-4s', /^\p{L}+…/u],
    ['13-after-answer', /^Worked for 7s/],
    ['17a-529-retrying-1s', /^529 .*attempt 2\/2$/],
    ['19-401-final', /^Please run \/login · API Error: 401/],
    ['15b-interrupt-mid-text', /^Interrupted · What should Claude do instead\?$/],
    ['26b-compacted', /^Compacted \(/],
    ['00-bare-home-preflight-fails', /^Unable to connect to/],
    ['10-ready-idle', /^$/],
  ])('%s: the status line is %s', (screen, line) => {
    expect(detect(capturedScreen(`claude/2.1.330/${screen}`), '2.1.330').statusLine ?? '').toMatch(line);
  });

  it.each([
    ['22a-permission-dialog', 'Bash command', 'Esc to cancel · Tab to amend'],
    ['01-onboarding-apikey-and-trust', 'Accessing workspace:', 'Enter to confirm · Esc to cancel'],
    ['09-automode-offer-modal', 'Make auto mode your default', 'No, keep manual mode'],
    ['25d-esc-esc-empty-opens-rewind', 'Rewind', 'Enter to continue · Esc to cancel'],
  ])('%s: the excerpt is the dialog', (screen, first, last) => {
    const lines =
      detect(capturedScreen(`claude/2.1.330/${screen}`), '2.1.330').dialog?.excerpt.split('\n') ?? [];
    expect(lines[0]).toContain(first);
    expect(lines.at(-1)).toContain(last);
  });

  it('a key in a dialog is not shown', () => {
    const excerpt = detect(capturedScreen('claude/2.1.330/02-after-apikey-answer'), '2.1.330').dialog
      ?.excerpt;
    expect(excerpt).toContain('Do you want to use this API key?');
    expect(excerpt).not.toContain('sk-');
  });
});
