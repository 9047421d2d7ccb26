import { describe, expect, test } from 'vitest';
import {
  deliveryCheck,
  echoesOf,
  type TerminalCheck,
} from '../../../../src/agent/local-terminal/terminal-check.js';
import type { TerminalState } from '../../../../src/terminal/tracker/terminal-state.js';
import { planted } from '../../../support/terminal/planted-frames.js';
import { idleState } from '../../../support/terminal/planted-state.js';

const idle = idleState();
const pane = { dead: false, pid: 1, inMode: false, alternateScreen: true, title: '' };
const looked: TerminalCheck = { state: idle, signals: planted.idle(), pane, paneId: '%1', toolPid: 7 };
const prompt = { text: 'fix it', paneId: '%1', toolPid: 7, echoesBefore: 0 };
const unsaid = { taken: null, refused: false };
const checked = (more: Partial<TerminalCheck>) => deliveryCheck({ ...looked, ...more }, prompt, 5, unsaid);
const withTalk = (conversation: string): TerminalState => ({
  ...idle,
  parsed: { ...idle.parsed!, text: { ...idle.parsed!.text, conversation } },
});
const diagnosed = (more: Partial<TerminalState['diagnostics']>): TerminalState => ({
  ...idle,
  diagnostics: { ...idle.diagnostics, ...more },
});

test('an idle terminal', () => {
  expect(checked({})).toEqual({
    at: 5,
    lost: null,
    scrolled: false,
    dialog: null,
    composer: 'empty',
    working: false,
    echoed: false,
    taken: null,
    refused: false,
  });
});

test.each([
  ['the tmux session went away', { state: diagnosed({ transport: 'tmux_missing' }) }],
  ['the tool ended', { state: diagnosed({ availability: 'tui_down' }), toolPid: null }],
  ['the pane is dead', { pane: { ...pane, dead: true } }],
  ['its pane is gone', { paneId: '%2' }],
  ['the tool was restarted', { toolPid: 8 }],
] as const)('is lost when %s', (why, more) => {
  expect(checked(more).lost).toBe(why);
});

test('is not lost where a look failed: what it is then is not known', () => {
  const failed = { state: diagnosed({ availability: 'error' }), signals: null, pane: null, paneId: null };
  expect(checked({ ...failed, toolPid: null })).toMatchObject({ lost: null, composer: 'unknown' });
});

test('says whose text is in the composer, what is up and who scrolls', () => {
  expect(checked({ signals: planted.draft('fix it') }).composer).toBe('ours');
  expect(checked({ signals: planted.draft('another') }).composer).toBe('foreign');
  expect(checked({ signals: planted.dialog() }).dialog).toBe('permission');
  expect(checked({ signals: planted.working() }).working).toBe(true);
  expect(checked({ pane: { ...pane, inMode: true } }).scrolled).toBe(true);
});

describe('an echo', () => {
  test('is one more than before the paste', () => {
    const again = withTalk('> fix it\nDone.\n> fix\n  it');
    expect(echoesOf('fix it', again)).toBe(2);
    expect(checked({ state: again }).echoed).toBe(true);
    expect(deliveryCheck({ ...looked, state: again }, { ...prompt, echoesBefore: 2 }, 5, unsaid).echoed).toBe(
      false,
    );
  });
  test.each(['❯ fix it', '› fix it', '│ > fix it │', ' fix it', '  ❯ fix\n    it'])('is %j', (row) => {
    expect(echoesOf('fix it', withTalk(`before\n${row}\nafter`))).toBe(1);
  });
  test.each(["• Unrecognized command 'fix it'.", 'I shall fix it', '❯ prefix it', '❯ fix', 'fix\nthen it'])(
    'is not %j',
    (row) => {
      expect(echoesOf('fix it', withTalk(`before\n${row}\nafter`))).toBe(0);
    },
  );
  test('of a prompt that begins with a sign itself is one, too', () => {
    expect(echoesOf('> quoted', withTalk('❯ > quoted'))).toBe(1);
    expect(echoesOf('> quoted', withTalk('> quoted'))).toBe(1);
  });
  test('of a long prompt is its opening', () => {
    expect(echoesOf(`${'opening '.repeat(7)}and more`, withTalk('opening '.repeat(7)))).toBe(1);
  });
  test('of nothing is none', () => {
    expect(echoesOf(' \n', withTalk('anything'))).toBe(0);
    expect(echoesOf('fix it', { ...idle, parsed: null })).toBe(0);
  });
});
