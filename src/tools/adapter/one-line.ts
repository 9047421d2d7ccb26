/** Longest summary of a row, in code points. */
export const summaryLimit = 160;

/** `text` on one line: white space collapsed, cut to `limit` code points with `...` at the end. */
export function oneLine(text: string, limit: number = summaryLimit): string {
  // A tool result may have megabytes; four times the limit is enough to fill one line.
  const head = text.trimStart().slice(0, limit * 4);
  const points = Array.from(head.replace(/\s+/g, ' ').trim());
  return points.length <= limit ? points.join('') : `${points.slice(0, limit - 3).join('')}...`;
}
