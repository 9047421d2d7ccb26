import { choicesOf, type Entry, type StandinDialog } from './screen-state.js';
import { blankLine, run, type StyledLine, styles, type TextRun } from './styled-line.js';
import { wrapText } from './wrap-text.js';

type Permission = Extract<StandinDialog, { kind: 'permission' }>;

/** Returns the rows of a dialog, which take the place of the box. */
export function dialogLines(
  dialog: StandinDialog,
  screen: { directory: string; entries: readonly Entry[] },
  width: number,
): StyledLine[] {
  if (dialog.kind === 'permission') return permissionLines(dialog, screen.directory, width);
  if (dialog.kind === 'trust') return trustLines(dialog.selected, screen.directory, width);
  return rewindLines(screen.entries, width);
}

function permissionLines(dialog: Permission, directory: string, width: number): StyledLine[] {
  const frame: StyledLine = [run('╌'.repeat(width), styles.frame)];
  const tip = ' Tip: auto mode handles these prompts for you — choose "switch to auto mode" below';
  return [
    [run('─'.repeat(width), styles.choice)],
    [
      run(
        dialog.tool === 'Bash' ? ' Bash command' : ` ${dialog.tool} tool`,
        `${styles.bold};${styles.choice}`,
      ),
    ],
    ...plainRows(tip, width, styles.bold),
    ...plainRows(` ${dialog.title}`, width, styles.grey),
    frame,
    ...plainRows(` ${dialog.command}`, width, ''),
    frame,
    [run(' Do you want to proceed?')],
    ...choicesOf(dialog, directory).flatMap((choice, index) =>
      numbered(choice, index, index === dialog.selected, width),
    ),
    blankLine,
    [run(' '), run('Esc to cancel · Tab to amend', styles.grey)],
  ];
}

function numbered(choice: string, index: number, selected: boolean, width: number): StyledLine[] {
  const mark: TextRun[] = selected ? [run(' '), run('❯', styles.choice), run(' ')] : [run('   ')];
  const number = run(`${index + 1}. `, styles.grey);
  return wrapText(choice, width - 6).map((row, at) => [
    ...(at === 0 ? [...mark, number] : [run('      ')]),
    run(row, selected ? styles.choice : ''),
  ]);
}

function trustLines(selected: number, directory: string, width: number): StyledLine[] {
  const question =
    ' Quick safety check: Is this a project you created or one you trust? If not, take a moment to review ' +
    "what's in this folder first.";
  return [
    [run('─'.repeat(width), styles.warning)],
    [run(' '), run('Accessing workspace:', `${styles.bold};${styles.warning}`)],
    blankLine,
    [run(' '), run(directory, styles.bold)],
    blankLine,
    ...plainRows(question, width, ''),
    blankLine,
    [run(" Claude Code'll be able to read, edit, and execute files here.")],
    blankLine,
    ...choicesOf({ kind: 'trust', selected }, directory).map((choice, index) =>
      index === selected
        ? [run(' '), run('❯', styles.choice), run(' '), run(choice, styles.choice)]
        : [run('   '), run(choice)],
    ),
    blankLine,
    [run(' '), run('Enter to confirm · Esc to cancel', styles.grey)],
  ];
}

function rewindLines(entries: readonly Entry[], width: number): StyledLine[] {
  const prompts = entries.flatMap((entry) => (entry.kind === 'prompt' ? [entry.text] : []));
  return [
    [run('▔'.repeat(width), styles.rule)],
    [run('  '), run('Rewind', styles.bold)],
    blankLine,
    [run('  Restore the code and/or conversation to the point before…')],
    blankLine,
    ...prompts
      .slice(-5)
      .flatMap((text): StyledLine[] => [
        [run(`    ${wrapText(text, width - 6)[0] ?? ''}`)],
        [run('    No code changes', styles.grey)],
        blankLine,
      ]),
    [run('  '), run('❯ (current)', styles.choice)],
    blankLine,
    [run('  '), run('Enter to continue · Esc to cancel', styles.grey)],
  ];
}

function plainRows(text: string, width: number, style: string): StyledLine[] {
  const indent = /^ */.exec(text)?.[0] ?? '';
  return wrapText(text.slice(indent.length), width - indent.length).map((row) => [
    run(indent),
    run(row, style),
  ]);
}
