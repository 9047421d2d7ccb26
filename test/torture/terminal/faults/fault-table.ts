import type { FaultRow, Outcome } from './fault-row.js';

export interface RowResult {
  row: FaultRow;
  outcomes: readonly Outcome[];
}

interface Cell {
  text: string;
  isBad: boolean;
}

const head = ['fault', 'plays', 'counts', 'slowest refusal', 'broken promises'];

/** Pure: the plays of the rows as a table in Markdown. What is not as it was wanted is bold. */
export function faultTable(results: readonly RowResult[]): string {
  const lines = results.map(({ row, outcomes }) => [
    row.name,
    String(outcomes.length),
    countCells(row, outcomes).map(written).join(', '),
    written(refusalCell(row, outcomes)),
    written(violationCell(outcomes)),
  ]);
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Pure: whether every row was played, and each of its counts is as it was wanted. */
export const isAsWanted = (results: readonly RowResult[]): boolean =>
  results.every(
    ({ row, outcomes }) =>
      outcomes.length > 0 &&
      ![...countCells(row, outcomes), refusalCell(row, outcomes), violationCell(outcomes)].some(
        ({ isBad }) => isBad,
      ),
  );

const countCells = ({ counts }: FaultRow, outcomes: readonly Outcome[]): Cell[] =>
  counts.map(({ name, most, wanted, of }) => {
    const sum = sumOf(outcomes.map(of));
    const all = most * outcomes.length;
    return { text: `${sum} of ${all} ${name}`, isBad: sum !== (wanted === 'none' ? 0 : all) };
  });

function refusalCell({ refusalLimit }: FaultRow, outcomes: readonly Outcome[]): Cell {
  if (refusalLimit === null) return { text: '', isBad: false };
  const refusals = outcomes
    .flatMap(({ facts }) => facts.prompts)
    .filter(({ answer }) => answer.kind === 'refused')
    .map(({ milliseconds }) => milliseconds);
  if (refusals.length === 0) return { text: 'none refused', isBad: false };
  const slowest = Math.max(...refusals);
  return {
    text: `${(slowest / 1000).toFixed(2)} s of ${refusals.length} refused`,
    isBad: slowest >= refusalLimit,
  };
}

function violationCell(outcomes: readonly Outcome[]): Cell {
  const sum = sumOf(outcomes.map(({ violations }) => violations.length));
  return { text: String(sum), isBad: sum > 0 };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);
const written = ({ text, isBad }: Cell): string => (isBad ? `**${text}**` : text);
