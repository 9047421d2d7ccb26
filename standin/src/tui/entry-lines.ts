import type { Entry, Working } from './screen-state.js';
import { blankLine, run, type StyledLine, styles, type TextRun } from './styled-line.js';
import { wrapText } from './wrap-text.js';

const spinner = ['·', '✢', '*', '✶', '✻', '✽'];
const branch = '  ⎿ \u00a0';

/** Returns the conversation as rows, with a blank row before each entry that does not belong to the one above it. */
export function entryLines(entries: readonly Entry[], width: number): StyledLine[] {
  return entries.flatMap((entry, index) => {
    const lines = linesOf(entry, width);
    return entry.kind === 'interrupted' || index === 0 ? lines : [blankLine, ...lines];
  });
}

/** Returns the queued prompts as rows. */
export function queuedLines(queued: readonly string[], width: number): StyledLine[] {
  return queued.flatMap((text) => [
    blankLine,
    ...indented('❯ ', text, width, (row) => run(row, `${styles.grey};48;5;237`)),
    [run('  ⎿  Queued · ctrl+x ctrl+s to send now', styles.grey)],
  ]);
}

/** Returns the rows that show that the agent works. */
export function workingLines(working: Working): StyledLine[] {
  const picture = spinner[working.tick % spinner.length] ?? '·';
  if (working.retry !== null) {
    const { failure, attempt, attempts } = working.retry;
    const again = ` · retrying in 1s · attempt ${attempt}/${attempts}`;
    return [
      [run(picture, styles.failure), run(' '), run(failure, styles.failure), run(again, styles.grey)],
      [run(`${branch}If it persists, check your inference gateway.`, styles.grey)],
    ];
  }
  const verb = run(`${working.verb}…`, styles.accent);
  const spent = ` (${working.seconds}s · ↓ ${working.tokens} tokens)`;
  return [
    [run(picture, styles.accent), run(' '), verb, ...(working.seconds < 2 ? [] : [run(spent, styles.grey)])],
  ];
}

function linesOf(entry: Entry, width: number): StyledLine[] {
  switch (entry.kind) {
    case 'prompt':
      return promptLines(entry.text, width);
    case 'answer':
      return answerLines(entry.text, width);
    case 'apiError':
      return indented('● ', entry.text, width, (row) => run(row, styles.warning));
    case 'tool':
      return toolLines(entry);
    case 'finished': {
      const { verb, seconds, clock } = entry;
      return [[run('✻', styles.grey), run(' '), run(`${verb} for ${seconds}s · done ${clock}`, styles.grey)]];
    }
    case 'interrupted':
      return [[run(`${branch}Interrupted · What should Claude do instead?`, styles.grey)]];
    case 'note':
      return indented('  ⎿ ', entry.text, width, (row) => run(row, styles.grey));
  }
}

function promptLines(text: string, width: number): StyledLine[] {
  return wrapText(text, width - 3).map((row, index) => [
    index === 0 ? run('❯ ', styles.promptGlyph) : run('  ', '48;5;237'),
    run(row, styles.prompt),
    run(' ', '48;5;237'),
  ]);
}

function answerLines(text: string, width: number): StyledLine[] {
  if (text === '') return [[run('●', styles.answer)]];
  return wrapText(text, width - 2).map((row, index) => [
    ...(index === 0 ? [run('●', styles.answer), run(' ')] : [run('  ')]),
    run(row),
  ]);
}

function toolLines({ name, title, command, state }: Extract<Entry, { kind: 'tool' }>): StyledLine[] {
  const shell = name === 'Bash';
  if (state === 'done') {
    const what = shell ? ' shell command' : ` ${name} call`;
    return [[run('  '), run('Ran ', styles.grey), run('1', styles.bold), run(what, styles.grey)]];
  }
  const called = [run(`${branch}${shell ? '$ ' : ''}${firstRow(command)}`, styles.grey)];
  if (state === 'running') return [[run('  '), run(title)], called];
  return [
    [run('  '), run('Did not run ', styles.grey), run('1', styles.bold), run(' call', styles.grey)],
    called,
  ];
}

const firstRow = (text: string): string => text.split('\n', 1)[0] ?? '';

function indented(mark: string, text: string, width: number, styled: (row: string) => TextRun): StyledLine[] {
  return wrapText(text, width - mark.length).map((row, index) => [
    styled(index === 0 ? mark : ' '.repeat(mark.length)),
    styled(row),
  ]);
}
