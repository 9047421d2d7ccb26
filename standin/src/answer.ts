/** What the stand-in says to a prompt. @param words are added behind it. */
export function answerText(text: string, turn: number, words: number): string {
  const said = text === '' ? 'You said nothing' : `You said: ${text}`;
  const more = Array.from({ length: words }, (_, index) => ` word${index + 1}`).join('');
  return `${said} (turn ${turn} of this conversation)${more}`;
}

/** How many tokens a text would have. */
export function tokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4));
}
