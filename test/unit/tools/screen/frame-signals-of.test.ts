import { describe, expect, it } from 'vitest';
import {
  type ScreenReading,
  signalsOf,
  surfaceSignatureOf,
} from '../../../../src/tools/screen/frame-signals.js';
import { toStyledRows } from '../../../../src/tools/screen/styled-rows.js';
import { mayI } from '../../../support/terminal/planted-frames.js';

const detector = { name: 'a_tool', version: '1.x' };
const rows = toStyledRows('text');

const answered: ScreenReading = {
  composer: { kind: 'placeholder', text: 'Ask' },
  dialog: null,
  overlay: null,
  queued: false,
  activeReasons: [],
  interrupted: false,
  knownFailure: false,
  currentError: false,
  answered: true,
  completionMarker: true,
  statusLine: 'Done',
  chatContext: { state: 'current', diagnostic: null },
  notes: ['a_note'],
};
const signals = (reading: Partial<ScreenReading>) => signalsOf(detector, rows, { ...answered, ...reading });

describe('an agent that waits', () => {
  it('after an answer', () => {
    expect(signals({})).toEqual({
      detector,
      acceptingInput: 'yes',
      editingInput: 'no',
      readyPosture: 'yes',
      pendingInput: 'no',
      promptVisible: true,
      promptText: null,
      activeReasons: [],
      interrupted: false,
      knownFailure: false,
      currentError: false,
      successCandidate: true,
      successBlocked: false,
      completionMarker: true,
      statusLine: 'Done',
      dialog: null,
      overlay: null,
      chatContext: { state: 'current', diagnostic: null },
      surfaceSignature: surfaceSignatureOf(rows),
      notes: ['prompt_kind=placeholder', 'a_note'],
    });
  });

  it('without an answer is no success', () => {
    expect(signals({ answered: false })).toMatchObject({ readyPosture: 'yes', successCandidate: false });
  });

  it('with prompts in its queue', () => {
    expect(signals({ queued: true }).pendingInput).toBe('yes');
  });
});

describe('the composer', () => {
  it.each([
    ['empty', 'no', null, true],
    ['placeholder', 'no', null, true],
    ['draft', 'yes', 'text', false],
    ['unknown', 'unknown', null, false],
  ] as const)('%s', (kind, editingInput, promptText, successCandidate) => {
    const seen = signals({ composer: { kind, text: 'text' } });
    expect(seen).toMatchObject({ editingInput, promptText, successCandidate, readyPosture: 'yes' });
    expect(seen.notes.includes('unrecognized_prompt_presentation')).toBe(kind === 'unknown');
  });

  it('that is not to be seen leaves everything open', () => {
    const all = {
      queued: true,
      activeReasons: ['work'],
      interrupted: true,
      knownFailure: true,
      currentError: true,
    };
    expect(signals({ ...all, composer: null, overlay: 'slash_command' })).toMatchObject({
      acceptingInput: 'unknown',
      editingInput: 'unknown',
      readyPosture: 'unknown',
      pendingInput: 'unknown',
      promptVisible: false,
      activeReasons: [],
      interrupted: false,
      knownFailure: false,
      currentError: false,
      successCandidate: false,
      completionMarker: false,
      statusLine: null,
      overlay: null,
      chatContext: { state: 'unknown', diagnostic: null },
      notes: ['a_note'],
    });
  });
});

describe('what keeps an agent', () => {
  it('work, above what went wrong before', () => {
    const work = { activeReasons: ['work'], interrupted: true, knownFailure: true, currentError: true };
    expect(signals(work)).toMatchObject({
      activeReasons: ['work'],
      readyPosture: 'no',
      interrupted: false,
      knownFailure: false,
      currentError: false,
      successCandidate: false,
      successBlocked: true,
    });
  });

  it('a dialog, above everything else', () => {
    const dialog = mayI('trust');
    expect(signals({ dialog, activeReasons: ['work'], overlay: 'slash_command' })).toMatchObject({
      acceptingInput: 'no',
      editingInput: 'unknown',
      readyPosture: 'no',
      promptVisible: false,
      activeReasons: [],
      successCandidate: false,
      successBlocked: true,
      overlay: null,
      dialog,
      notes: ['dialog_visible', 'a_note'],
    });
  });

  it('a menu', () => {
    const menu = { overlay: 'slash_command' } as const;
    expect(signals(menu)).toMatchObject({
      readyPosture: 'unknown',
      successBlocked: true,
      overlay: 'slash_command',
    });
    expect(signals({ ...menu, activeReasons: ['work'] }).readyPosture).toBe('no');
    expect(signals(menu).notes).toContain('slash_menu_visible');
  });

  it.each(['interrupted', 'knownFailure', 'currentError'] as const)('nothing, where it was %s', (what) => {
    expect(signals({ [what]: true })).toMatchObject({
      [what]: true,
      readyPosture: 'yes',
      successCandidate: false,
      successBlocked: true,
    });
  });
});
