/**
 * What a screen surely keeps of a text, to compare it with what was pasted. Blanks change where rows are wrapped, tools take
 * characters out that nobody sees, tmux keeps only the first marks and joined emoji of a cell, and Codex draws ↑ and ↓ at the edge of a
 * composer that scrolls, a blank behind the text or right behind it.
 */
export const shownText = (text: string): string => text.normalize('NFKD').replace(lost, '');

const lost = /[\s↑↓\p{M}\p{Cf}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/gu;
