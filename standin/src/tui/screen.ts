import { dialogLines } from './dialog-lines.js';
import { entryLines, queuedLines, workingLines } from './entry-lines.js';
import type { ScreenState } from './screen-state.js';
import { blankLine, clipped, run, type StyledLine, styles, toBytes } from './styled-line.js';
import { columnsOf, wrapText } from './wrap-text.js';

export interface ScreenSize {
  columns: number;
  rows: number;
}

export interface DrawnScreen {
  /** Rows from the top, with their styles. */
  rows: readonly string[];
  /** Counted from 0. */
  cursor: { row: number; column: number };
  /** The number of rows from the top that no longer change. */
  settled: number;
}

/** Draws a screen that fills the pane: the end of the conversation at its top, the box at its bottom. */
export function fullScreen(state: ScreenState, size: ScreenSize): DrawnScreen {
  const { above, below, cursor } = parts(state, size);
  const room = Math.max(0, size.rows - below.length);
  const shown = above.slice(Math.max(0, above.length - room));
  const filling = Array.from({ length: room - shown.length }, () => blankLine);
  const rows = [...shown, ...filling, ...below].slice(-size.rows);
  return {
    rows: rows.map((line) => toBytes(clipped(line, size.columns))),
    cursor: { row: Math.max(0, rows.length - below.length + cursor.row), column: cursor.column },
    settled: 0,
  };
}

/** Draws a screen below the earlier content of the pane, which scrolls with it. */
export function flowingScreen(state: ScreenState, size: ScreenSize): DrawnScreen {
  const { above, below, cursor, settled } = parts(state, size);
  return {
    rows: [...above, ...below].map((line) => toBytes(clipped(line, size.columns))),
    cursor: { row: above.length + cursor.row, column: cursor.column },
    settled,
  };
}

interface Parts {
  above: StyledLine[];
  below: StyledLine[];
  /** Relative to `below`. */
  cursor: { row: number; column: number };
  settled: number;
}

function parts(state: ScreenState, size: ScreenSize): Parts {
  const width = size.columns;
  if (state.dialog?.kind === 'trust') {
    const below = dialogLines(state.dialog, state, width);
    return { above: [], below, cursor: { row: below.length - 1, column: 0 }, settled: 0 };
  }
  if (state.starting) return { above: [], below: [], cursor: { row: 0, column: 0 }, settled: 0 };
  const past = [...bannerLines(state), ...entryLines(state.entries.slice(0, state.turnStart), width)];
  const turn = entryLines(state.entries.slice(state.turnStart), width);
  const spaced = turn.length > 0 && state.turnStart > 0 ? [blankLine, ...turn] : turn;
  const dialog = state.dialog;
  const shows = dialog === null && state.working !== null ? [blankLine, ...workingLines(state.working)] : [];
  const above = [...past, ...spaced, ...queuedLines(state.queued, width), ...shows];
  if (dialog !== null) {
    const below = [blankLine, ...dialogLines(dialog, state, width)];
    return { above, below, cursor: { row: below.length - 1, column: 0 }, settled: past.length };
  }
  const box = boxLines(state, size);
  const top = topLines(state, width);
  const rule: StyledLine = [run('─'.repeat(width), styles.rule)];
  const below = [...top, rule, ...box.lines, rule, footerLine(state, width)];
  const cursor = { row: top.length + 1 + box.cursor.row, column: box.cursor.column };
  return { above, below, cursor, settled: past.length };
}

function bannerLines({ model, directory }: ScreenState): StyledLine[] {
  return [
    blankLine,
    [
      run(' ▐▛███▛█', styles.accent),
      run('   '),
      run('Claude Code', styles.bold),
      run(' '),
      run('v2.1.330', styles.grey),
    ],
    [run('▝▜██████▀', styles.accent), run('  '), run(`${model} · API Usage Billing`, styles.grey)],
    [run(' ▝▝   ▝▝ ', styles.accent), run('  '), run(directory, styles.grey)],
    blankLine,
    blankLine,
  ];
}

/** Returns the rows right above the box: the menu, or a row that is blank except for a hint. */
function topLines({ menu, hint }: ScreenState, width: number): StyledLine[] {
  if (menu.length === 0) return [hint === null ? blankLine : atTheRight([], hint, width)];
  const longest = Math.max(...menu.map(({ command }) => command.length)) + 4;
  const items = menu.map(({ command, description }, index): StyledLine => {
    const text = `${index === 0 ? '❯ ' : '  '}${command.padEnd(longest)}${description}`;
    return [run('  '), run(wrapText(text, width - 4)[0] ?? '', index === 0 ? styles.choice : styles.grey)];
  });
  return [blankLine, ...items];
}

function boxLines(state: ScreenState, size: ScreenSize): { lines: StyledLine[]; cursor: Parts['cursor'] } {
  const glyph = run('❯\u00a0', state.working === null ? '' : styles.grey);
  if (state.draft.text === '') {
    const [first = ' ', ...rest] = Array.from(state.placeholder ?? '');
    return {
      lines: [[glyph, run(first, styles.cursor), run(rest.join(''), styles.dim)]],
      cursor: { row: 0, column: 2 },
    };
  }
  const rows = wrapText(state.draft.text, size.columns - 3).slice(-Math.max(1, Math.floor(size.rows / 2)));
  const lines = rows.map((row, index): StyledLine => {
    const end = index === rows.length - 1 ? [run(' ', styles.cursor)] : [];
    return [index === 0 ? glyph : run('  '), run(row), ...end];
  });
  return { lines, cursor: { row: rows.length - 1, column: 2 + columnsOf(rows.at(-1) ?? '') } };
}

function footerLine(state: ScreenState, width: number): StyledLine {
  const line = [run('  '), run(footerText(state), styles.grey)];
  return state.corner === null ? line : atTheRight(line, state.corner, width);
}

function footerText({ notice, working, draft }: ScreenState): string {
  if (notice !== null) return notice;
  if (working !== null) return '⏸ manual mode on · esc to interrupt';
  return draft.text === '' ? '⏸ manual mode on · ? for shortcuts' : '⏸ manual mode on';
}

function atTheRight(line: StyledLine, text: string, width: number): StyledLine {
  const taken = line.reduce((sum, each) => sum + columnsOf(each.text), 0);
  const gap = Math.max(1, width - taken - columnsOf(text) - 2);
  return [...line, run(' '.repeat(gap)), run(text, styles.grey)];
}
