/** The texts that a test puts on a screen of Gemini CLI. */
export interface ScreenText {
  transcript?: readonly string[];
  /** The row right above the rule. */
  status?: string;
  /** The row between the rule and the composer; null for none. */
  hint?: string | null;
  /** The rows of the composer, with their styles. */
  composer?: readonly string[];
  /** Rows right below the composer. */
  menu?: readonly string[];
}

const quiet = '\u001b[38;5;248m';
const ink = '\u001b[38;5;231m';
const plain = '\u001b[0m';

export const glyph = `\u001b[38;5;183m> ${plain}`;
export const cursor = `\u001b[7m ${plain}`;

/** The composer with what it shows while nothing is typed. */
export const placeholder = [` ${glyph}${cursor}${quiet} Type your message or @path/to/file${plain}`];

/** The composer with text that was typed, the cursor at its end. */
export function typed(text: string): string[] {
  const rows = text.split('\n').map((row, index) => ` ${index === 0 ? glyph : '  '}${ink}${row}${plain}`);
  return rows.map((row, index) => (index === rows.length - 1 ? `${row}${cursor}` : row));
}

/** A prompt in the transcript. */
export const prompted = (text: string): string => ` ${glyph}${ink}${text}${plain}`;

/** A screen of Gemini CLI as tmux captures it. */
export function geminiScreen(screen: ScreenText): string {
  const {
    transcript = [],
    status = '',
    hint = 'Shift+Tab to accept edits',
    composer = placeholder,
    menu = [],
  } = screen;
  return [
    ...transcript,
    '',
    status,
    `\u001b[2m${'─'.repeat(60)}${plain}`,
    ...(hint === null ? [] : [` ${quiet}${hint}${plain}`]),
    '',
    ...composer,
    '',
    ...menu,
    ` ${quiet}workspace (/directory)   sandbox${plain}`,
    ` ${ink}/work/project   no sandbox${plain}`,
  ].join('\n');
}
