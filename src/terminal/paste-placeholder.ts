/** Such as `[Pasted text #1]`, `[Pasted text #1 +60 lines]`, `[Pasted Text: 61 lines]` or `[Pasted Content 1731 chars]`. */
const placeholder = /^\[pasted (?:text|content)\b[^\]]*?(?:(\d+) (lines|chars))?\]$/i;

/** The tools count line ends or lines, and characters in ways of their own. */
const slack = (count: number): number => 2 + count * 0.05;

/** Whether a draft is what a tool draws in place of this very paste: an earlier one may still stand there, or come late. */
export function isPlaceholderOf(draft: string, pasted: string): boolean {
  const [whole, said, unit] = placeholder.exec(draft.trim()) ?? [];
  if (whole === undefined) return false;
  const breaks = pasted.split(/[\n\u2028]/).length - 1;
  const count = unit?.toLowerCase() === 'chars' ? pasted.length : breaks;
  return Math.abs(Number(said ?? 0) - count) <= slack(count);
}
