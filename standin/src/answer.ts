/** Returns the answer of the stand-in to a prompt. @param words the number of words that are added to it. */
export function answerText(text: string, turn: number, words: number): string {
  const said = text === '' ? 'You said nothing' : `You said: ${text}`;
  const more = Array.from({ length: words }, (_, index) => ` word${index + 1}`).join('');
  return `${said} (turn ${turn} of this conversation)${more}`;
}

/** Estimates the number of tokens of a text. */
export function tokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4));
}
