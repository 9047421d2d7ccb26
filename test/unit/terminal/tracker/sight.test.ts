import { describe, expect, it } from 'vitest';
import { screenFactsOf } from '../../../../src/terminal/tracker/sight.js';
import { frame, planted } from '../../../support/terminal/planted-frames.js';

describe('the sight of a frame', () => {
  it('takes the surface as the detector gives it', () => {
    expect(screenFactsOf(planted.idle()).surface).toEqual({
      acceptingInput: 'yes',
      editingInput: 'no',
      readyPosture: 'yes',
      pendingInput: 'no',
    });
    expect(screenFactsOf(planted.nothing()).surface.acceptingInput).toBe('unknown');
  });

  it('is not ready at work, and keeps an unknown posture', () => {
    expect(screenFactsOf(frame({ activeReasons: ['tool_cell'] })).surface.readyPosture).toBe('no');
    const hidden = frame({ activeReasons: ['tool_cell'], readyPosture: 'unknown' });
    expect(screenFactsOf(hidden).surface.readyPosture).toBe('unknown');
  });

  it('takes the words of an end before a sign of work, and an interrupt before a failure', () => {
    const both = frame({ activeReasons: ['tool_cell'], interrupted: true, knownFailure: true });
    expect(screenFactsOf(both)).toMatchObject({ active: false, ended: 'interrupted' });
    expect(screenFactsOf(frame({ knownFailure: true })).ended).toBe('known_failure');
  });

  it('has a draft where a composer takes text and holds some', () => {
    expect(screenFactsOf(planted.draft('x')).draft).toBe('x');
    expect(screenFactsOf(frame({ editingInput: 'yes' })).draft).toBe('');
    expect(screenFactsOf(frame({ promptText: 'x' })).draft).toBeNull();
    expect(
      screenFactsOf(frame({ editingInput: 'yes', promptText: 'x', promptVisible: false })).draft,
    ).toBeNull();
    expect(screenFactsOf(frame({ ...planted.draft('1. Yes'), ...planted.dialog() })).draft).toBeNull();
  });
});
