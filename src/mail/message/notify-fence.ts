import { splitLines, strip, stripEnd } from './python-text.js';

const ticks = '```';
const info = 'houmao-notify';

/** Other fences are not known: an opening line inside one counts. */
const opens = (line: string): boolean => line.startsWith(ticks) && strip(line.slice(ticks.length)) === info;
const closes = (line: string): boolean => stripEnd(line) === ticks;

/** The text of the first fence that is closed and not empty (docs/decisions.md#notify-fences). */
export function fenceText(body: string): string | null {
  const lines = splitLines(body);
  for (let start = lines.findIndex(opens); start !== -1; start = nextAfter(lines, start, opens)) {
    const end = nextAfter(lines, start, closes);
    if (end === -1) return null;
    const text = strip(lines.slice(start + 1, end).join('\n'));
    if (text !== '') return text;
    start = end;
  }
  return null;
}

function nextAfter(lines: readonly string[], after: number, is: (line: string) => boolean): number {
  for (let at = after + 1; at < lines.length; at += 1) if (is(lines[at] ?? '')) return at;
  return -1;
}

/** Whether a fence begins in it, even an empty one or one that is never closed. */
export const hasFence = (body: string): boolean => splitLines(body).some(opens);

/**
 * A fence with a text in it. A line that would close it gets a blank in front, for nothing else keeps a reader from taking
 * what follows for the body (docs/decisions.md#notify-fences).
 */
export function fenceOf(text: string): string {
  const kept = splitLines(text).some(closes)
    ? splitLines(text).map((line) => (closes(line) ? ` ${line}` : line))
    : [text];
  return [ticks + info, ...kept, ticks].join('\n');
}
