import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  parsedSurface,
  projectionCues,
  projectScreen,
} from '../../../../src/terminal/tracker/parsed-surface.js';
import { screenFactsOf } from '../../../../src/terminal/tracker/sight.js';
import type { FrameSignals } from '../../../../src/tools/screen/frame-signals.js';
import { newerVersionNote } from '../../../../src/tools/screen/screen-profile.js';
import { anyFrame } from '../../../support/terminal/any-frame.js';
import { frame, mayI, planted } from '../../../support/terminal/planted-frames.js';
import { plainRows } from '../../../support/terminal/rows.js';

function parsed(signals: FrameSignals, version = '1.x', baseline: number | null = null) {
  const text = projectScreen(plainRows('● Hello', '❯'), projectionCues(signals));
  return parsedSurface(signals, text, version, baseline);
}
const axes = (signals: FrameSignals) => {
  const { availability, businessState, inputMode, uiContext } = parsed(signals);
  return [availability, businessState, inputMode, uiContext].join(' ');
};
const asking = (kind: 'permission' | 'trust' | 'login' | 'update' | 'selection', promptVisible = false) =>
  frame({ ...planted.dialog(), promptVisible, dialog: mayI(kind) });

describe('a parsed surface', () => {
  it.each([
    ['supported idle freeform normal_prompt', planted.idle()],
    ['supported idle freeform normal_prompt', planted.draft('x')],
    ['supported idle freeform normal_prompt', planted.failed()],
    ['supported working freeform normal_prompt', planted.working()],
    ['supported idle modal slash_command', planted.menu()],
    ['supported awaiting_operator modal approval_prompt', asking('permission')],
    ['supported awaiting_operator modal trust_prompt', asking('trust')],
    ['supported awaiting_operator modal selection_menu', asking('selection')],
    ['supported awaiting_operator modal update_prompt', asking('update')],
    ['supported awaiting_operator closed login_prompt', asking('login')],
    ['supported awaiting_operator modal login_prompt', asking('login', true)],
    ['unknown unknown unknown unknown', planted.nothing()],
    ['supported working closed unknown', frame({ ...planted.nothing(), activeReasons: ['thinking_line'] })],
    ['supported idle closed error_banner', frame({ ...planted.nothing(), currentError: true })],
    ['supported idle closed unknown', frame({ ...planted.nothing(), acceptingInput: 'no' })],
    ['supported idle unknown normal_prompt', frame({ acceptingInput: 'unknown' })],
  ])('is %s', (words, signals) => {
    expect(axes(signals)).toBe(words);
  });

  it('names its reader', () => {
    expect(parsed(planted.idle())).toMatchObject({
      family: 'toy',
      presetId: 'toy-1.x',
      presetVersion: '1.x',
      anomalyCodes: [],
    });
    expect(parsed(planted.idle(), 'fallback')).toMatchObject({
      presetId: 'toy-fallback',
      presetVersion: null,
      anomalyCodes: ['fallback_profile_used'],
    });
    expect(parsed(frame({ notes: [newerVersionNote] })).anomalyCodes).toEqual(['unknown_version_floor_used']);
  });

  it('says when the text became shorter than it was at first', () => {
    const { length } = parsed(planted.idle()).text.normalized;
    expect(parsed(planted.idle(), '1.x', length)).toMatchObject({
      baselineInvalidated: false,
      anomalyCodes: [],
    });
    expect(parsed(planted.idle(), '1.x', length + 1)).toMatchObject({
      baselineInvalidated: true,
      anomalyCodes: ['baseline_invalidated'],
    });
  });

  it('has the rows of the dialog', () => {
    expect(parsed(planted.dialog()).operatorBlockedExcerpt).toBe(mayI().excerpt);
    expect(parsed(planted.idle()).operatorBlockedExcerpt).toBeNull();
  });

  it('never contradicts the surface', () => {
    fc.assert(
      fc.property(anyFrame, (signals) => {
        const { availability, businessState, inputMode } = parsed(signals);
        const { surface, active, dialog } = screenFactsOf(signals);
        if (dialog) expect(businessState).toBe('awaiting_operator');
        else if (active) expect(businessState).toBe('working');
        if (availability === 'supported' && !dialog && !active) expect(businessState).toBe('idle');
        if (inputMode === 'freeform') expect(surface.acceptingInput).toBe('yes');
        if (surface.acceptingInput === 'yes' && signals.overlay === null) expect(inputMode).toBe('freeform');
        if (availability === 'unknown') expect(surface.acceptingInput).toBe('unknown');
      }),
      { numRuns: 2000 },
    );
  });

  it('takes the row that tells of work out of the conversation only while there is work', () => {
    expect(projectionCues(frame({ statusLine: 'Worked for 2s' })).workRow).toBeNull();
    const working = frame({ ...planted.working(), statusLine: 'Musing…' });
    expect(projectionCues(working)).toEqual({
      composer: true,
      menu: false,
      draft: null,
      workRow: 'Musing…',
    });
    expect(projectionCues(planted.draft('one\ntwo')).draft).toBe('one');
    expect(projectionCues(planted.menu()).menu).toBe(true);
    expect(projectionCues(frame({ ...asking('permission', true) })).composer).toBe(false);
  });
});
