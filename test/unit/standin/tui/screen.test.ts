import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { flowingScreen, fullScreen } from '../../../../standin/src/tui/screen.js';
import { type Entry, type ScreenState, startScreen } from '../../../../standin/src/tui/screen-state.js';
import { columnsOf } from '../../../../standin/src/tui/wrap-text.js';

const size = { columns: 60, rows: 20 };
const state = (more: Partial<ScreenState> = {}): ScreenState => ({
  ...startScreen('/work/project', 'standin-1', []),
  starting: false,
  ...more,
});
const plain = (row: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: styles are escape sequences.
  row.replace(/\u001b\[[\d;]*m/g, '').trimEnd();
const textOf = (more: Partial<ScreenState>): string[] => fullScreen(state(more), size).rows.map(plain);
const drafted = (text: string) => ({ draft: { text, pastes: [] } });
const working = { verb: 'Baking', tick: 0, seconds: 0, tokens: 0, retry: null };
const rule = '─'.repeat(60);
const said: Entry[] = [
  { kind: 'prompt', text: 'hello' },
  { kind: 'answer', text: 'You said: hello' },
];

describe('the screen', () => {
  test('of an idle agent has an empty box between rules at its bottom', () => {
    const rows = textOf({ entries: said, turnStart: 2 });
    expect(rows.slice(-4)).toEqual([rule, '❯', rule, '  ⏸ manual mode on · ? for shortcuts']);
    expect(rows.slice(6, 9)).toEqual(['❯ hello', '', '● You said: hello']);
    const { rows: bytes } = fullScreen(state({ entries: said, turnStart: 2 }), size);
    expect(bytes[6]).toContain('\u001b[38;5;231;48;5;237mhello');
    expect(bytes[8]).toContain('\u001b[38;5;231m●');
    expect(bytes[17]).toBe('❯\u00a0\u001b[7m \u001b[0m\u001b[2m\u001b[0m');
  });

  test('of a working agent says so in a row of its own and in the footer', () => {
    const rows = textOf({ entries: said.slice(0, 1), turnStart: 0, working });
    expect(rows.slice(6, 9)).toEqual(['❯ hello', '', '· Baking…']);
    expect(rows.at(-1)).toBe('  ⏸ manual mode on · esc to interrupt');
    const later = textOf({ working: { ...working, tick: 4, seconds: 3, tokens: 14 } });
    expect(later).toContain('✻ Baking… (3s · ↓ 14 tokens)');
    const retry = { failure: '529 overloaded_error', attempt: 2, attempts: 2 };
    expect(textOf({ working: { ...working, retry } })).toContain(
      '· 529 overloaded_error · retrying in 1s · attempt 2/2',
    );
  });

  test('has a draft in its box, wrapped, with the cursor behind it', () => {
    const screen = fullScreen(state(drafted(`first\n${'word '.repeat(20)}漢`)), size);
    const rows = screen.rows.map(plain);
    expect(rows.slice(-6)).toEqual([
      rule,
      '❯\u00a0first',
      `  ${'word '.repeat(11)}`.trimEnd(),
      `  ${'word '.repeat(9)}漢`,
      rule,
      '  ⏸ manual mode on',
    ]);
    expect(screen.cursor).toEqual({ row: 17, column: 2 + 45 + 2 });
  });

  test('shows a placeholder dim, and never as a draft', () => {
    const { rows } = fullScreen(state({ placeholder: 'Resend your message to try again' }), size);
    expect(rows[17]).toBe('❯\u00a0\u001b[7mR\u001b[0m\u001b[2mesend your message to try again\u001b[0m');
    expect(textOf({ ...drafted('mine'), placeholder: 'Resend' })[17]).toBe('❯\u00a0mine');
  });

  test('has what waits above the spinner', () => {
    const rows = textOf({ entries: said.slice(0, 1), turnStart: 0, working, queued: ['second queued'] });
    expect(rows.slice(6, 12)).toEqual([
      '❯ hello',
      '',
      '❯ second queued',
      '  ⎿  Queued · ctrl+x ctrl+s to send now',
      '',
      '· Baking…',
    ]);
  });

  test('has a dialog in the place of the box', () => {
    const dialog = {
      kind: 'permission',
      tool: 'Bash',
      command: 'touch t2',
      title: 'Touch',
      selected: 0,
    } as const;
    const rows = textOf({ entries: said, working, dialog });
    expect(rows.slice(-8)).toEqual([
      ' Do you want to proceed?',
      ' ❯ 1. Yes',
      '   2. Yes, and always allow access to /work/project from',
      '      this project',
      '   3. Yes, and switch to auto mode',
      '   4. No',
      '',
      ' Esc to cancel · Tab to amend',
    ]);
    expect(rows).not.toContain('· Baking…');
    expect(rows.some((row) => row.startsWith('❯\u00a0'))).toBe(false);
  });

  test('asks about the folder before anything else', () => {
    const rows = textOf({ starting: true, dialog: { kind: 'trust', selected: 0 } }).filter(Boolean);
    expect(rows.slice(-3)).toEqual([
      ' ❯ No, exit',
      '   Yes, I trust this folder',
      ' Enter to confirm · Esc to cancel',
    ]);
    expect(rows.some((row) => row.includes('Claude Code v'))).toBe(false);
  });

  test('has the menu above the box, and a hint or a notice where they belong', () => {
    const menu = [
      { command: '/clear', description: 'Start' },
      { command: '/exit', description: 'Leave' },
    ];
    const rows = textOf({ ...drafted('/'), menu });
    expect(rows.slice(-6)).toEqual([
      '  ❯ /clear    Start',
      '    /exit     Leave',
      rule,
      '❯\u00a0/',
      rule,
      '  ⏸ manual mode on',
    ]);
    const hinted = textOf({
      hint: '◐ medium · /effort',
      notice: 'Press Ctrl-C again to exit',
      corner: '12:03:04',
    });
    expect(hinted.at(-5)).toBe('◐ medium · /effort'.padStart(58));
    expect(hinted.at(-1)).toMatch(/^ {2}Press Ctrl-C again to exit +12:03:04$/);
  });

  test('ends turns as Claude Code does', () => {
    const tool = { kind: 'tool', name: 'Bash', title: 'Touch', command: 'touch t2' } as const;
    const entries: Entry[] = [
      { ...tool, state: 'denied' },
      { kind: 'interrupted' },
      { kind: 'apiError', text: 'API Error: 500' },
      { kind: 'finished', verb: 'Worked', seconds: 2, clock: '8:36 PM' },
    ];
    expect(textOf({ entries, turnStart: 4 }).slice(6, 13)).toEqual([
      '  Did not run 1 call',
      '  ⎿ \u00a0$ touch t2',
      '  ⎿ \u00a0Interrupted · What should Claude do instead?',
      '',
      '● API Error: 500',
      '',
      '✻ Worked for 2s · done 8:36 PM',
    ]);
  });

  const anyState = fc
    .record({
      texts: fc.array(
        fc.string({ unit: fc.constantFrom('a', ' ', '\n', '漢', 'e\u0301', 'long-word-'), maxLength: 80 }),
      ),
      draft: fc.string({ unit: fc.constantFrom('a', ' ', '\n', '漢', '👍'), maxLength: 200 }),
      busy: fc.boolean(),
      dialog: fc.constantFrom(null, { kind: 'rewind' } as const, { kind: 'trust', selected: 1 } as const),
    })
    .map(({ texts, draft, busy, dialog }) => {
      const entries = texts.map((text, index): Entry => ({ kind: index % 2 ? 'answer' : 'prompt', text }));
      return state({ entries, ...drafted(draft), working: busy ? working : null, dialog });
    });

  test('fills the pane exactly and never goes beyond it', () => {
    const sizes = fc.record({
      columns: fc.integer({ min: 40, max: 90 }),
      rows: fc.integer({ min: 8, max: 30 }),
    });
    fc.assert(
      fc.property(anyState, sizes, (any, within) => {
        const screen = fullScreen(any, within);
        expect(screen.rows).toHaveLength(within.rows);
        for (const row of screen.rows) expect(columnsOf(plain(row))).toBeLessThanOrEqual(within.columns);
        expect(screen.cursor.row).toBeLessThan(within.rows);
      }),
    );
  });

  test('that scrolls has the same end, and settled rows that stay when more is said', () => {
    fc.assert(
      fc.property(anyState, fc.string({ maxLength: 20 }), (any, text) => {
        const before = { ...any, turnStart: any.entries.length };
        const after = { ...before, entries: [...before.entries, { kind: 'prompt', text } as const] };
        const [one, other] = [flowingScreen(before, size), flowingScreen(after, size)];
        expect(other.rows.slice(0, one.settled)).toEqual(one.rows.slice(0, one.settled));
        const full = fullScreen(before, size).rows;
        expect(one.rows.at(-1)).toBe(full.at(-1));
      }),
    );
  });
});
