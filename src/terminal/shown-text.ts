/**
 * What a screen surely keeps of a text, to compare it with what was pasted. Blanks change where rows are wrapped, tools take
 * characters out that nobody sees, and tmux keeps only the first marks and joined emoji of a cell.
 */
export const shownText = (text: string): string => text.normalize('NFKD').replace(lost, '');

const lost = /[\s\p{M}\p{Cf}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/gu;
