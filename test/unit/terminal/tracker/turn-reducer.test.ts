import { describe, expect, it } from 'vitest';
import { screenFactsOf } from '../../../../src/terminal/tracker/sight.js';
import {
  initialTurnState,
  reduceTurn,
  type TurnEvent,
  type TurnState,
} from '../../../../src/terminal/tracker/turn-reducer.js';
import type { FrameSignals } from '../../../../src/tools/screen/frame-signals.js';
import { frame, mayI, planted } from '../../../support/terminal/planted-frames.js';

const settle = 1000;

/** Steps: a frame, a moment in milliseconds (frames come at the moment last named), or another event. */
function following(...steps: readonly (FrameSignals | number | TurnEvent)[]): TurnState {
  let at = 0;
  return steps.reduce<TurnState>((state, step) => {
    if (typeof step === 'number') {
      at = step;
      return reduceTurn(state, { kind: 'time', at }, settle);
    }
    const event: TurnEvent = 'kind' in step ? step : { kind: 'frame', at, sight: screenFactsOf(step) };
    return reduceTurn(state, event, settle);
  }, initialTurnState);
}
const submit = (prompt = 'fix it'): TurnEvent => ({ kind: 'submitted', prompt });
const interrupt: TurnEvent = { kind: 'interrupt' };
const reported = ({ phase, lastTurn }: TurnState) => `${phase} ${lastTurn.result} ${lastTurn.source}`;
const success = [planted.idle(), submit(), planted.working(), planted.done(), 1000] as const;
const interrupted = [planted.idle(), submit(), planted.working(), planted.interrupted()] as const;
const { done, draft, working, idle, failed } = planted;

describe('a submitted prompt', () => {
  it('is work at once, and clears the turn before it', () => {
    expect(reported(following(submit()))).toBe('active none none');
    expect(reported(following(...success, submit()))).toBe('active none none');
    expect(reported(following(...interrupted, submit()))).toBe('active none none');
  });

  it('leaves what is known of the surface', () => {
    expect(following(idle(), submit()).surface).toEqual(screenFactsOf(idle()).surface);
  });

  it('stops a screen from settling', () => {
    expect(reported(following(submit(), working(), done(), submit(), 5000))).toBe('active none none');
  });
});

describe('a frame with a draft over a bad end', () => {
  it('clears the last turn when the agent does not work', () => {
    const typing = frame({ ...planted.interrupted(), editingInput: 'yes', promptText: 'next' });
    expect(reported(following(...interrupted, typing))).toBe('ready none none');
    const withoutPosture = frame({ ...typing, readyPosture: 'unknown' });
    expect(reported(following(...interrupted, withoutPosture))).toBe('unknown none none');
  });

  it('is the end of the turn when the agent worked, also while the same draft stays', () => {
    const restored = frame({ ...planted.interrupted(), editingInput: 'yes', promptText: 'fix it' });
    expect(reported(following(submit(), working(), restored))).toBe('ready interrupted explicit_input');
    expect(reported(following(submit(), working(), restored, restored))).toBe(
      'ready interrupted explicit_input',
    );
  });
});

describe('a banner of a bad end', () => {
  it.each([
    ['interrupted', planted.interrupted()],
    ['known_failure', failed()],
  ])('ends the turn as %s', (result, signals) => {
    expect(reported(following(submit(), working(), signals))).toBe(`ready ${result} explicit_input`);
    expect(reported(following(working(), signals))).toBe(`ready ${result} surface_inference`);
    expect(reported(following(signals))).toBe(`ready ${result} surface_inference`);
  });

  it('is believed of a new prompt when it was not there before', () => {
    const restored = frame({ ...planted.interrupted(), editingInput: 'yes', promptText: 'fix it' });
    expect(reported(following(idle(), submit(), restored))).toBe('ready interrupted explicit_input');
    expect(reported(following(submit(), restored))).toBe('ready interrupted explicit_input');
  });

  it('keeps its source while it is shown', () => {
    expect(reported(following(...interrupted, planted.interrupted()))).toBe(
      'ready interrupted explicit_input',
    );
  });

  it('is not believed of a new prompt before the screen changed', () => {
    expect(reported(following(...interrupted, submit(), planted.interrupted()))).toBe('ready none none');
    expect(reported(following(...interrupted, submit(), planted.interrupted('another')))).toBe(
      'ready interrupted explicit_input',
    );
    expect(
      reported(following(...interrupted, submit(), planted.interrupted(), working(), done(), 1000)),
    ).toBe('ready success explicit_input');
  });

  it('is no readiness under a dialog', () => {
    const asking = frame({ ...planted.dialog(), interrupted: true });
    expect(reported(following(submit(), working(), asking))).toBe('unknown interrupted explicit_input');
  });

  it('is readiness again when a dialog was closed over it, or the terminal is seen again', () => {
    const again = 'ready interrupted explicit_input';
    expect(reported(following(...interrupted, planted.dialog(), planted.interrupted()))).toBe(again);
    const unseen: TurnEvent = { kind: 'unavailable', gone: false };
    expect(reported(following(...interrupted, unseen, planted.interrupted()))).toBe(again);
  });
});

describe('work', () => {
  it('is the phase, clears the last turn and stops a screen from settling', () => {
    expect(reported(following(working()))).toBe('active none none');
    expect(reported(following(...success, working()))).toBe('active none none');
    expect(reported(following(submit(), working(), done(), 500, working(), 3000))).toBe('active none none');
  });

  it('makes an end that follows believable without a prompt', () => {
    expect(reported(following(working(), done(), 1000))).toBe('ready success surface_inference');
  });
});

describe('a screen that looks like the end of a turn', () => {
  it('is ready at once and a success after the settle time', () => {
    expect(reported(following(submit(), working(), done(), 999))).toBe('ready none none');
    expect(reported(following(submit(), working(), done(), 1000))).toBe('ready success explicit_input');
  });

  it('counts the time from when it last changed', () => {
    expect(reported(following(submit(), working(), done(), 600, done(), 1000))).toBe(
      'ready success explicit_input',
    );
    expect(reported(following(submit(), working(), done(), 600, done('b'), 1500))).toBe('ready none none');
    expect(reported(following(submit(), working(), done(), 600, done('b'), 1600))).toBe(
      'ready success explicit_input',
    );
  });

  it('means nothing without a turn', () => {
    expect(reported(following(done(), 5000, done()))).toBe('ready none none');
    expect(reported(following(idle(), draft('x'), done(), 5000, done()))).toBe('ready none none');
  });

  it('is not believed of a prompt that had no effect', () => {
    expect(reported(following(done(), submit(), done(), 5000, done()))).toBe('ready none none');
    const pasted = frame({ ...done('pasted'), editingInput: 'yes', promptText: 'fix it' });
    expect(reported(following(done(), pasted, submit(), pasted, 5000, done(), 9000))).toBe('ready none none');
    expect(reported(following(done(), submit(), done('b'), 5000))).toBe('ready success explicit_input');
    expect(reported(following(submit(), done(), 1000))).toBe('ready success explicit_input');
  });

  it('is taken back by a change, and settles again', () => {
    expect(reported(following(...success, done('b')))).toBe('ready none none');
    expect(reported(following(...success, done('b'), 1900, done('b')))).toBe('ready none none');
    expect(reported(following(...success, done('b'), 1500, done('b'), 2000))).toBe(
      'ready success explicit_input',
    );
  });

  it('stays what it is while it is the same, also when time passes', () => {
    expect(reported(following(...success, done(), 9000, done()))).toBe('ready success explicit_input');
  });

  it('stays when the next screen is ready without looking like an end', () => {
    expect(reported(following(...success, idle()))).toBe('ready success explicit_input');
  });

  it('is forgotten with a new draft, and does not come back with it', () => {
    const typing = frame({ ...done('typing'), editingInput: 'yes', promptText: 'next' });
    expect(reported(following(...success, typing))).toBe('ready none none');
    expect(reported(following(...success, typing, 5000, typing, 9000))).toBe('ready none none');
  });

  it('is a success with the draft that was typed meanwhile, which then may stay', () => {
    const typed = frame({ ...done('typed'), editingInput: 'yes', promptText: 'next' });
    expect(reported(following(submit(), working(), typed, 1000, typed))).toBe('ready success explicit_input');
  });

  it('is no end while anything says otherwise', () => {
    const doubts: Partial<FrameSignals>[] = [
      { successBlocked: true },
      { currentError: true },
      { overlay: 'slash_command' },
      { dialog: mayI() },
      { activeReasons: ['thinking_line'] },
    ];
    for (const doubt of doubts) {
      const doubtful = frame({ ...done(), ...doubt });
      const state = following(submit(), working(), doubtful, 5000, doubtful, 9000);
      expect(state.lastTurn.result).toBe('none');
    }
  });
});

describe('any other frame', () => {
  it('is ready when the composer waits, else unknown', () => {
    expect(reported(following(idle()))).toBe('ready none none');
    expect(reported(following(frame({ readyPosture: 'unknown' })))).toBe('unknown none none');
    expect(reported(following(frame({ readyPosture: 'no' })))).toBe('unknown none none');
    expect(reported(following(submit(), idle('b')))).toBe('ready none none');
  });

  it('clears the last turn when somebody types', () => {
    expect(reported(following(...success, draft('next')))).toBe('ready none none');
    expect(reported(following(...interrupted, idle(), draft('next')))).toBe('ready none none');
  });

  it('is never ready under a dialog', () => {
    const liar = frame({ dialog: mayI('trust') });
    expect(reported(following(liar))).toBe('unknown none none');
    expect(following(liar).surface).toMatchObject({ acceptingInput: 'no', readyPosture: 'no' });
  });
});

describe('an interrupt of ours', () => {
  it('ended the turn when the prompt is back in the composer, however it is wrapped', () => {
    expect(reported(following(submit('fix it'), working(), interrupt, draft('fix\nit')))).toBe(
      'ready interrupted explicit_input',
    );
    expect(reported(following(submit(), interrupt, draft('fix it'), 5000, draft('fix it')))).toBe(
      'ready interrupted explicit_input',
    );
  });

  it('ended the turn also when the tool says so beside the prompt', () => {
    const said = frame({ ...planted.interrupted(), editingInput: 'yes', promptText: 'fix it' });
    expect(reported(following(submit(), idle(), interrupt, said))).toBe('ready interrupted explicit_input');
    const hidden = frame({ ...said, readyPosture: 'unknown' });
    expect(reported(following(submit(), working(), interrupt, hidden))).toBe(
      'unknown interrupted explicit_input',
    );
  });

  it('did not, while the agent works or another draft is there', () => {
    const still = frame({ ...working(), editingInput: 'yes', promptText: 'fix it' });
    expect(reported(following(submit(), interrupt, still))).toBe('active none none');
    expect(reported(following(submit(), working(), interrupt, draft('other')))).toBe('ready none none');
  });

  it('is nothing without a prompt of ours', () => {
    expect(reported(following(interrupt, draft('')))).toBe('ready none none');
    expect(reported(following(submit('  '), interrupt, draft('')))).toBe('ready none none');
    expect(reported(following(...success, interrupt, draft('fix it')))).toBe('ready none none');
  });

  it('is over with the next prompt', () => {
    expect(reported(following(submit(), interrupt, submit(), draft('fix it')))).toBe('ready none none');
  });

  it('keeps its end when the composer is cleared, and loses it with the next draft', () => {
    const ended = [submit(), working(), interrupt, draft('fix it')];
    expect(reported(following(...ended, idle()))).toBe('ready interrupted explicit_input');
    expect(reported(following(...ended, draft('fix it now')))).toBe('ready none none');
    expect(reported(following(...ended, idle(), draft('fix it')))).toBe('ready none none');
  });
});

// Labels of recordings say otherwise (docs/decisions.md#drafts-beside-the-end-of-a-turn).
describe('the draft of the next prompt', () => {
  const typing = (screen: FrameSignals, text: string) =>
    frame({ ...screen, editingInput: 'yes', promptText: text });

  it('that was typed while the agent worked keeps no interrupt from the report, however long it stands', () => {
    const next = typing(planted.interrupted(), 'next');
    const ended = [submit(), typing(working(), 'next'), interrupt, next];
    expect(reported(following(...ended))).toBe('ready interrupted explicit_input');
    expect(reported(following(...ended, 200, next, 5000, next))).toBe('ready interrupted explicit_input');
    expect(reported(following(...ended, 200, typing(planted.interrupted(), 'next one')))).toBe(
      'ready none none',
    );
  });

  it('does not make the end of a turn later that has settled on the screen', () => {
    const next = typing(done(), 'next');
    expect(reported(following(submit(), working(), done(), 800, next, 999, next))).toBe('ready none none');
    expect(reported(following(submit(), working(), done(), 800, next, 1000, next))).toBe(
      'ready success explicit_input',
    );
  });
});

describe('a terminal that cannot be observed', () => {
  const gone: TurnEvent = { kind: 'unavailable', gone: true };
  const failedLook: TurnEvent = { kind: 'unavailable', gone: false };

  it('is unknown in all but how the last turn ended', () => {
    for (const event of [gone, failedLook]) {
      const state = following(...success, event);
      expect(reported(state)).toBe('unknown success explicit_input');
      expect(new Set(Object.values(state.surface))).toEqual(new Set(['unknown']));
    }
  });

  it('does not end a turn with what a new tool shows', () => {
    expect(reported(following(submit(), working(), gone, done(), 5000, done()))).toBe('ready none none');
    expect(reported(following(...success, gone, done('b')))).toBe('ready success explicit_input');
    expect(reported(following(...success, gone, done('b'), 5000))).toBe('ready success explicit_input');
  });

  it('goes on with the turn after a look that failed', () => {
    expect(reported(following(submit(), working(), failedLook, done(), 1000))).toBe(
      'ready success explicit_input',
    );
    expect(reported(following(submit(), working(), done(), failedLook, 5000))).toBe('unknown none none');
  });
});
