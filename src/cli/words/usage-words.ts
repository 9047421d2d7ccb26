import type { Schemas } from '@houmao/sdk';
import { counted } from '../../foundation/text.js';
import { type Paint, table } from './terminal-output.js';

type Day = Schemas['UsageDay'];
type Totals = Omit<Day, 'date'>;

/** The usage of one agent; `days` are null where they could not be read. */
export interface UsedByAgent {
  readonly agent_name: string;
  readonly days: readonly Day[] | null;
  /** Why it could not be read. */
  readonly detail: string | null;
}

const nothing: Totals = {
  turns: { completed: 0, failed: 0, interrupted: 0, replaced: 0 },
  turns_without_usage: 0,
  turns_without_cost: 0,
  input_tokens: null,
  cache_read_tokens: null,
  cache_write_tokens: null,
  output_tokens: null,
  cost_usd: null,
};

/** Adds up days. A sum of unknown amounts alone is unknown, and never 0. */
export const totalOf = (days: readonly Totals[]): Totals =>
  days.reduce(
    (sum, day) => ({
      turns: {
        completed: sum.turns.completed + day.turns.completed,
        failed: sum.turns.failed + day.turns.failed,
        interrupted: sum.turns.interrupted + day.turns.interrupted,
        replaced: sum.turns.replaced + day.turns.replaced,
      },
      turns_without_usage: sum.turns_without_usage + day.turns_without_usage,
      turns_without_cost: sum.turns_without_cost + day.turns_without_cost,
      input_tokens: plus(sum.input_tokens, day.input_tokens),
      cache_read_tokens: plus(sum.cache_read_tokens, day.cache_read_tokens),
      cache_write_tokens: plus(sum.cache_write_tokens, day.cache_write_tokens),
      output_tokens: plus(sum.output_tokens, day.output_tokens),
      cost_usd: plus(sum.cost_usd, day.cost_usd),
    }),
    nothing,
  );

const plus = (one: number | null, other: number | null): number | null =>
  one === null ? other : other === null ? one : one + other;

export const usagePaints: readonly Paint[] = [{ pattern: /^(?:AGENT|total) .*/, format: 'bold' }];

/** Returns a table with a row per agent and day, and a total; and what it does not contain. */
export function usageLines(agents: readonly UsedByAgent[], from: string, to: string): string[] {
  const rows = agents.flatMap(({ agent_name, days }) =>
    (days ?? []).map((day) => ({ name: agent_name, date: day.date, used: day })),
  );
  if (rows.length === 0) return [`No turn ended from ${from} to ${to} (UTC).`];
  const total = totalOf(rows.map(({ used }) => used));
  const header = [
    'AGENT',
    'DAY',
    'TURNS',
    'FAILED',
    'STOPPED',
    'INPUT',
    'CACHE READ',
    'CACHE WRITE',
    'OUTPUT',
    'COST',
  ];
  return [
    ...table([
      header,
      ...rows.map(({ name, date, used }) => [name, date, ...cellsOf(used)]),
      ['total', '', ...cellsOf(total)],
    ]),
    ...missing(total),
  ];
}

function cellsOf({ turns, ...used }: Totals): string[] {
  const all = turns.completed + turns.failed + turns.interrupted + turns.replaced;
  const tokens = [used.input_tokens, used.cache_read_tokens, used.cache_write_tokens, used.output_tokens];
  const cost = used.cost_usd === null ? '-' : `$${used.cost_usd.toFixed(2)}`;
  const counts = [all, turns.failed, turns.interrupted + turns.replaced].map(String);
  return [...counts, ...tokens.map((count) => count?.toLocaleString('en-US') ?? '-'), cost];
}

/** Says which turns the sums leave out; the cost only where another turn has one. */
function missing({ turns_without_usage, turns_without_cost, cost_usd }: Totals): string[] {
  const unknown = (count: number, what: string): string[] =>
    count === 0
      ? []
      : [`${counted(count, 'turn')} reported no ${what}; the sums leave ${count === 1 ? 'it' : 'them'} out.`];
  return [
    ...unknown(turns_without_usage, 'tokens'),
    ...(cost_usd === null ? [] : unknown(turns_without_cost, 'cost')),
  ];
}
