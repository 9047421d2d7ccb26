/** The texts that a test puts on a screen of Codex. */
export interface ScreenText {
  transcript?: readonly string[];
  /** Text that was typed; without it the composer shows its placeholder. */
  draft?: string;
  footer?: readonly string[];
}

const dim = '\u001b[2m';
const bold = '\u001b[1m';
const plain = '\u001b[0m';

/** A prompt in the transcript. */
export const prompted = (text: string): string => `${bold}${dim}› ${plain}${text}`;

/** A row that says that Codex works. */
export const working = (seconds: number): string =>
  `${bold}•${plain} Working ${dim}(${seconds}s • esc to interrupt)${plain}`;

/** A screen of Codex as tmux captures it. */
export function codexScreen({ transcript = [], draft, footer = [] }: ScreenText): string {
  const [first = '', ...further] = draft?.split('\n') ?? [];
  const composer =
    draft === undefined
      ? [`${bold}›${plain} ${dim}Ask Codex to do anything${plain}`]
      : [`${bold}›${plain} ${first}`, ...further.map((row) => (row === '' ? '' : `  ${row}`))];
  return [
    ...transcript,
    '',
    ...composer,
    '',
    `${dim}  gpt-5 default · 98% left · /work/project${plain}`,
    ...footer,
  ].join('\n');
}
