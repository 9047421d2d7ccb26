import { describe, expect, it } from 'vitest';
import { readinessReasons } from '../../../../src/terminal/tracker/terminal-state.js';
import { TerminalTracker } from '../../../../src/terminal/tracker/terminal-tracker.js';
import { trackerTimings } from '../../../../src/terminal/tracker/tracker-timings.js';
import { claudeScreens } from '../../../../src/tools/claude/screens/claude-screens.js';
import { codexScreens } from '../../../../src/tools/codex/screens/codex-screens.js';
import { geminiScreens } from '../../../../src/tools/gemini/gemini-screens.js';
import { toStyledRows } from '../../../../src/tools/screen/styled-rows.js';
import { capturedScreen } from '../../../support/screens/captures.js';
import { captured } from '../../../support/terminal/planted-screens.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

const tools = { claude: claudeScreens, codex: codexScreens, gemini: geminiScreens };
const claude = 'claude/2.1.330';
const codex = 'codex/0.169.0';
const gemini = 'gemini/0.61.0';

/** A tracker for the tool and version of such a folder, that looks at its screens. */
function lookingAt(folder: string) {
  const [tool = '', version = ''] = folder.split('/');
  const clock = new VirtualClock('2026-03-31T00:00:00Z');
  const screens = tools[tool as keyof typeof tools];
  const timings = trackerTimings();
  const tracker = new TerminalTracker({ tool, screens, version, timings, clock, rowsOf: toStyledRows });
  const show = (text: string) => {
    tracker.observe(captured(text));
    clock.pass(500);
    return tracker.state;
  };
  const see = (screen: string, times = 1) => {
    const text = capturedScreen(`${folder}/${screen}`);
    for (let look = 0; look < times; look += 1) show(text);
    return tracker.state;
  };
  return { tracker, see, show };
}
const working = /^turn\.phase='active'/;

describe('screens of current tools, looked at for two seconds', () => {
  it.each([
    [claude, '10-ready-idle'],
    [claude, '13-after-answer'],
    [claude, '19-401-final'],
    [claude, '22b-permission-escaped'],
    [codex, '10-ready-idle'],
    [codex, '13-after-answer'],
    [codex, '17-429-final'],
    [codex, '24b2-after-ctrl-c'],
    [gemini, '10-ready-idle'],
    [gemini, '13-after-answer'],
    [gemini, '22b-approval-escaped'],
  ])('%s %s takes a prompt', (folder, screen) => {
    expect(readinessReasons(lookingAt(folder).see(screen, 4))).toEqual([]);
  });

  it.each<[string, string, string | RegExp]>([
    [claude, '11-typed-not-submitted', "surface.editing_input='yes'"],
    [claude, '12-working-2s', working],
    [claude, '17a-529-retrying-1s', working],
    [claude, '01-onboarding-apikey-and-trust', "blocked='trust'"],
    [claude, '22a-permission-dialog', "blocked='permission'"],
    [claude, '09-automode-offer-modal', "blocked='selection'"],
    [claude, '23a-queued-while-working', "surface.pending_input='yes'"],
    [claude, '28-after-exit', "diagnostics.availability='unknown'"],
    [codex, '00-bare-home', "blocked='login'"],
    [codex, '11-typed-not-submitted', "surface.editing_input='yes'"],
    [codex, '12-working-2s', working],
    [codex, '22a-approval-dialog', "blocked='permission'"],
    [codex, '28-after-quit', "diagnostics.availability='unknown'"],
    [gemini, '00-bare-home', "blocked='trust'"],
    [gemini, '11-typed-not-submitted', "surface.editing_input='yes'"],
    [gemini, '12-working-2s', working],
    [gemini, '22a-approval-dialog', "blocked='permission'"],
    [gemini, '23a-queued-while-working', "surface.pending_input='yes'"],
    [gemini, '28-after-quit', "diagnostics.availability='unknown'"],
  ])('%s %s does not: %s', (folder, screen, reason) => {
    const [first] = readinessReasons(lookingAt(folder).see(screen, 4));
    expect(first).toMatch(reason);
  });
});

describe('turns on screens of current tools', () => {
  it.each([
    [claude, '10-ready-idle', '12-working-2s', '13-after-answer'],
    [codex, '10-ready-idle', '12-working-2s', '13-after-answer'],
    [gemini, '10-ready-idle', '12-working-2s', '13-after-answer'],
  ])('%s: a prompt, work and an answer are a success', (folder, idle, work, answer) => {
    const { tracker, see } = lookingAt(folder);
    see(idle, 4);
    tracker.notePrompt('hello');
    expect(see(idle, 4).lastTurn.result).toBe('none');
    expect(see(work).phase).toBe('active');
    expect(see(answer).lastTurn.result).toBe('none');
    expect(see(answer, 2).lastTurn).toMatchObject({ result: 'success', source: 'explicit_input' });
  });

  it('a dialog in the turn is no success however long it stays, and no readiness', () => {
    const { tracker, see } = lookingAt(claude);
    see('13-after-answer', 4);
    tracker.notePrompt('touch a file');
    see('12-working-2s');
    expect(see('22a-permission-dialog', 60)).toMatchObject({
      dialog: { kind: 'permission' },
      phase: 'unknown',
      recovered: null,
      lastTurn: { result: 'none' },
    });
    expect(see('22d-tool-done', 3).lastTurn).toMatchObject({ result: 'success', source: 'explicit_input' });
  });

  it('a dialog is stable while the mark before the tool that asks blinks', () => {
    const { show } = lookingAt(claude);
    const shown = capturedScreen(`${claude}/22a-permission-dialog`);
    const hidden = shown.replace(/●(?=[^●]*$)/, ' ');
    expect(hidden).not.toBe(shown);
    for (const text of [shown, hidden, shown]) show(text);
    expect(show(hidden)).toMatchObject({ dialog: { kind: 'permission' }, stability: { stable: true } });
  });

  it('an answer that is an error of the API is a failure', () => {
    const { tracker, see } = lookingAt(claude);
    see('13-after-answer', 4);
    tracker.notePrompt('e529 [[status=529]]');
    see('17a-529-retrying-1s');
    expect(see('17c-529-final', 3).lastTurn).toMatchObject({
      result: 'known_failure',
      source: 'explicit_input',
    });
  });

  it('an interrupt of ours before any answer is one, though the tool says nothing', () => {
    const { tracker, see } = lookingAt(claude);
    see('10-ready-idle', 4);
    tracker.notePrompt('slow one [[delay=20000]]');
    see('12-working-2s', 2);
    tracker.noteInterrupt();
    const restored = see('14a-interrupt-0.4s');
    expect(restored.lastTurn).toMatchObject({ result: 'interrupted', source: 'explicit_input' });
    expect(readinessReasons(see('14a-interrupt-0.4s', 4))).toEqual(["surface.editing_input='yes'"]);
    expect(see('10-ready-idle', 4).lastTurn.result).toBe('interrupted');
    expect(readinessReasons(tracker.state)).toEqual([]);
  });
});
