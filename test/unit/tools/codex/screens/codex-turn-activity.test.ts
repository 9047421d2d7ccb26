import { describe, expect, it } from 'vitest';
import { codexScreens } from '../../../../../src/tools/codex/screens/codex-screens.js';
import type { FrameSignals } from '../../../../../src/tools/screen/frame-signals.js';
import { codexScreen, prompted, working } from '../../../../support/screens/codex-screen.js';
import { signalsIn } from '../../../../support/screens/detected-signals.js';

const running = '• \u001b[1mRunning\u001b[0m make';

const seenIn = (version: string, ...rows: string[]): FrameSignals =>
  signalsIn(codexScreens, version, codexScreen({ transcript: [prompted('go'), ...rows] }));

describe('work that is seen', () => {
  it.each<[string[], string[]]>([
    [[working(3)], ['status_row']],
    [['◦ Thinking about it (1m 02s • ctrl+x to interrupt) · 1 background terminal running'], ['status_row']],
    [[running], ['tool_cell']],
    [['• Waited for background terminal · make'], ['tool_cell']],
    [['• Queued follow-up inputs', '  ↳ more'], ['queued_follow_up']],
    [['• Queued follow-up messages', '  ↳ more'], ['queued_follow_up']],
    [['• Messages to be submitted after next tool call', '  ↳ more'], ['pending_input']],
    [['• Messages to be submitted at end of turn'], ['pending_input']],
    [['• Reconnecting... 2/5 (3s • esc to interrupt)'], ['status_row', 'stream_retry_status']],
    [['Reconnecting to model stream (1/5)'], ['stream_retry_status']],
    [['Reconnecting...  10/12   (3s • esc to interrupt)'], ['stream_retry_status']],
    [
      ['  Model interrupted to', '  submit steer instructions.', working(1)],
      ['status_row', 'steer_handoff'],
    ],
  ])('%j', (rows, reasons) => {
    expect(seenIn('0.116.0', ...rows)).toMatchObject({
      activeReasons: reasons,
      readyPosture: 'no',
      acceptingInput: 'yes',
      successCandidate: false,
      successBlocked: true,
    });
  });

  it('its word on that', () => {
    expect(seenIn('0.116.0', working(3), '• Queued follow-up inputs').statusLine).toBe(
      'Working (3s • esc to interrupt)',
    );
  });
});

describe('what is no work', () => {
  it.each([
    [['• The server said it was "Working (3s)" and went on.']],
    [['• Running is healthy.']],
    [['• Reconnecting is what it tried to do']],
    [['• Starting MCP servers (1/4): one, two (0s • esc to interrupt)']],
    [['• Booting MCP server: one (0s • esc to interrupt)']],
    [['• Reconnecting... 2/5 did not help']],
    [['• Working (3s • esc to interrupt) is what it says']],
    [[running, '• It is made.']],
    [['• Queued follow-up inputs', '• All of them are answered.']],
    [[working(1), '• The answer.']],
    [[working(1), '■ It failed']],
    [[working(1), '─ Worked for 1m 02s ───────', '• The answer.']],
    [['  Model interrupted to submit steer instructions.']],
  ])('%j', (rows) => {
    expect(seenIn('0.116.0', ...rows)).toMatchObject({ activeReasons: [], readyPosture: 'yes' });
  });

  it.each([
    working(3),
    running,
    '• Waited for background terminal · make',
    '• Queued follow-up inputs',
    '• Messages to be submitted at end of turn',
    '• Reconnecting... 2/5',
    '• Waiting for one',
    '• Resumed one',
  ])('what an answer quotes: %s', (row) => {
    expect(seenIn('0.144.0', `  > ${row}`).activeReasons).toEqual([]);
  });

  it('what stands above the latest prompt', () => {
    const rows = [working(9), running, '• Queued follow-up inputs', prompted('again'), '• The answer.'];
    expect(seenIn('0.116.0', ...rows)).toMatchObject({ activeReasons: [], pendingInput: 'no' });
  });
});

describe('other agents', () => {
  it.each([
    [['• Waiting for one'], ['collaboration_cell']],
    [['• Waiting for one', '• Finished waiting'], []],
    [['• Finished waiting', '• Resumed one'], ['collaboration_cell']],
    [['• Failed to resume one'], []],
  ])('%j', (rows, reasons) => {
    expect(seenIn('0.144.0', ...rows).activeReasons).toEqual(reasons);
    expect(seenIn('0.116.0', ...rows).activeReasons).toEqual([]);
  });
});

describe('prompts that wait', () => {
  it('are there, are not, or are not known', () => {
    expect(seenIn('0.116.0', '• Queued follow-up inputs').pendingInput).toBe('yes');
    expect(seenIn('0.116.0', '• The answer.').pendingInput).toBe('no');
    expect(signalsIn(codexScreens, '0.116.0', '• Queued follow-up inputs').pendingInput).toBe('unknown');
  });
});

describe('a turn that says when it ends', () => {
  const end = '  Worked for 1m 2s • 20:44';

  it.each<[string, string[], boolean]>([
    ['has only begun', [], true],
    ['answers', ['• The answer so'], true],
    ['has ended', ['• The answer.', '', end], false],
    ['has ended after long', ['• The answer.', '', '  Worked for 12h 34m'], false],
    ['quotes an end', ['• The answer.', '  it says   Worked for 3s'], true],
    ['tells of an end', ['• The answer.', '  Worked for 3s, and that was it'], true],
    ['has used tools', ['• Ran make', '─ Worked for 1m 02s ───', '• The answer'], true],
    ['has ended on another clock', ['• The answer.', '', '  Worked for <1s'], false],
    ['has failed', ['■ It failed'], false],
    ['was followed by the output of a command', ['• The answer.', end, '  Session: 1'], false],
  ])('%s', (_, rows, open) => {
    expect(seenIn('0.169.0', ...rows).activeReasons).toEqual(open ? ['open_turn'] : []);
    expect(seenIn('0.144.0', ...rows).activeReasons).toEqual([]);
  });

  it('is a success once it has ended', () => {
    expect(seenIn('0.169.0', '• The answer.', end)).toMatchObject({
      successCandidate: true,
      completionMarker: true,
      statusLine: 'Worked for 1m 2s • 20:44',
    });
    expect(seenIn('0.169.0', '• The answer.').successCandidate).toBe(false);
  });

  it('has a rule above its last answer', () => {
    const signals = seenIn('0.116.0', '• Ran make', '─ Worked for 1m 02s ───', '• The answer.');
    expect(signals).toMatchObject({
      completionMarker: true,
      successCandidate: true,
      statusLine: 'Worked for 1m 02s',
      notes: expect.arrayContaining(['completion_marker_visible']),
    });
    expect(seenIn('0.116.0', '• The answer.')).toMatchObject({ completionMarker: false, statusLine: null });
  });

  it('has no answer in what Codex offers', () => {
    expect(seenIn('0.116.0', '• You have 2 resets').successCandidate).toBe(false);
    expect(
      seenIn('0.116.0', '• Starting MCP servers (1/4): one (0s • esc to interrupt)').successCandidate,
    ).toBe(false);
    expect(
      seenIn('0.116.0', '◦ Starting MCP servers (1/4): one (0s • esc to interrupt)').successCandidate,
    ).toBe(false);
  });

  it('is none where only a banner is to be seen, or a command was typed', () => {
    const banner = ['>_ OpenAI Codex (v0.169.0)', '   /work'];
    const idle = signalsIn(codexScreens, '0.169.0', codexScreen({ transcript: banner }));
    expect(idle).toMatchObject({ activeReasons: [], readyPosture: 'yes', successCandidate: false });
    for (const typed of ['/status', '!ls']) {
      const command = codexScreen({ transcript: [prompted(typed), '  Session: 1'] });
      expect(signalsIn(codexScreens, '0.169.0', command).activeReasons).toEqual([]);
    }
  });

  it('is one also where a command is only mentioned', () => {
    const screen = codexScreen({ transcript: [prompted('what is /status'), '  It'] });
    expect(signalsIn(codexScreens, '0.169.0', screen).activeReasons).toEqual(['open_turn']);
  });

  it('has not ended by what ended far above', () => {
    const rows = [end, ...Array.from({ length: 30 }, (_, index) => `  row ${index}`)];
    const screen = codexScreen({ transcript: rows });
    expect(signalsIn(codexScreens, '0.169.0', screen).activeReasons).toEqual(['open_turn']);
  });

  it('goes on where its prompt is out of sight and no end is there', () => {
    const answer = Array.from({ length: 40 }, (_, index) => `  row ${index} of an answer`);
    const screen = (rows: string[]) => codexScreen({ transcript: rows });
    expect(signalsIn(codexScreens, '0.169.0', screen(answer)).activeReasons).toEqual(['open_turn']);
    expect(signalsIn(codexScreens, '0.169.0', screen([...answer, '', end]))).toMatchObject({
      activeReasons: [],
      successCandidate: true,
    });
  });
});
