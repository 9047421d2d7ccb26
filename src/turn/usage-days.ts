import { type RuleWords, ruleBroken } from '../contract/broken-rules.js';
import type { TurnOutcome, TurnUsage } from '../run/running-turn.js';
import type { Statement, Store, TableSchema } from '../storage/store.js';
import type { SessionSelection } from '../tools/adapter/tool-adapter.js';

/** The sums of a day, each with the names under which tools report it (`tools/adapter/row-facts.ts`); the first one found counts. */
const sums = {
  input_tokens: ['input_tokens'],
  cache_read_tokens: ['cache_read_input_tokens', 'cached_input_tokens'],
  cache_write_tokens: ['cache_creation_input_tokens', 'cache_write_input_tokens'],
  output_tokens: ['output_tokens'],
  cost_usd: ['total_cost_usd'],
} as const;
type Sum = keyof typeof sums;
const sumNames = Object.keys(sums) as Sum[];
const outcomes = ['completed', 'failed', 'interrupted', 'replaced'] as const satisfies readonly TurnOutcome[];
const columns = ['day', ...outcomes, 'without_usage', 'without_cost', ...sumNames];

/** The turns that ended on one day (UTC), and what they used. A sum is null where no turn reported it. */
type DayRow = { day: string; without_usage: number; without_cost: number } & Record<TurnOutcome, number> &
  Record<Sum, number | null>;

/** A period of days (UTC); the first and the last one count. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

export interface UsageDay extends Record<Sum, number | null> {
  readonly date: string;
  readonly turns: Record<TurnOutcome, number>;
  readonly turns_without_usage: number;
  readonly turns_without_cost: number;
}

/** Returns the first known value of a sum, in SQL. */
const reported = (name: Sum): string => {
  const found = sums[name].map((one) => `json_extract(usage_json, '$.amounts.${one}')`);
  return found.length === 1 ? `${found}` : `coalesce(${found.join(', ')})`;
};

/**
 * Makes the sums from the turns themselves, for records of a release that kept none. The share of a turn in the sums of its
 * conversation is not known there.
 */
const ofTurns = `SELECT substr(ended_at_utc, 1, 10) AS day,
  ${outcomes.map((one) => `sum(outcome = '${one}') AS ${one}`).join(', ')},
  sum(input_tokens IS NULL AND output_tokens IS NULL) AS without_usage, sum(cost_usd IS NULL) AS without_cost,
  ${sumNames.map((name) => `sum(${name}) AS ${name}`).join(', ')}
FROM (
  SELECT ended_at_utc, outcome, ${sumNames.map((name) => `${reported(name)} AS ${name}`).join(', ')}
  FROM turns LEFT JOIN turn_usage ON turn_usage.turn_id = turns.turn_id AND json_extract(usage_json, '$.scope') = 'turn'
  WHERE state = 'ended'
)`;

/** The statements that read usage: also for readers of a session that another program owns. */
export const usageSql = {
  between: `SELECT ${columns.join(', ')} FROM usage_days WHERE day BETWEEN ? AND ? ORDER BY day`,
  /** For records without that table. */
  ofTurnsBetween: `SELECT * FROM (${ofTurns} GROUP BY day) WHERE day BETWEEN ? AND ? ORDER BY day`,
  hasDays: `SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = 'usage_days'`,
} as const;

/** The sums outlive the turns, which `--retain-days` deletes. */
export const usageSchema: TableSchema = {
  tables: `
CREATE TABLE IF NOT EXISTS usage_days (
  day TEXT PRIMARY KEY,
  ${[...outcomes, 'without_usage', 'without_cost'].map((name) => `${name} INTEGER NOT NULL`).join(', ')},
  ${sumNames.join(', ')}
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage_conversations (
  provider_session_id TEXT PRIMARY KEY,
  usage_json TEXT NOT NULL
) WITHOUT ROWID;
`,
  indexes: `
INSERT INTO usage_days (${columns.join(', ')})
SELECT ${columns.join(', ')} FROM (${ofTurns} WHERE NOT EXISTS (SELECT 1 FROM usage_days) GROUP BY day);
`,
};

/** A turn that ends, as far as its usage goes. */
export interface EndedUse {
  readonly day: string;
  readonly outcome: TurnOutcome;
  readonly usage: TurnUsage | null;
  readonly providerSessionId: string | null;
  /** The conversation that was asked for; null where that is not known. */
  readonly session: SessionSelection | null;
}

/** The tables `usage_days` and `usage_conversations`. */
export class UsageDays {
  readonly #add: Statement<(string | number | null)[]>;
  readonly #between: Statement<[string, string], DayRow>;
  readonly #conversation: Statement<[string], { usage_json: string }>;
  readonly #noteConversation: Statement<[string, string]>;

  constructor(store: Store) {
    const added = [...outcomes, 'without_usage', 'without_cost'].map(
      (name) => `${name} = ${name} + excluded.${name}`,
    );
    const summed = sumNames.map(
      (name) =>
        `${name} = CASE WHEN excluded.${name} IS NULL THEN ${name} ELSE coalesce(${name}, 0) + excluded.${name} END`,
    );
    this.#add = store.prepare(
      `INSERT INTO usage_days (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
       ON CONFLICT (day) DO UPDATE SET ${[...added, ...summed].join(', ')}`,
    );
    this.#between = store.prepare(usageSql.between);
    this.#conversation = store.prepare(
      'SELECT usage_json FROM usage_conversations WHERE provider_session_id = ?',
    );
    this.#noteConversation = store.prepare(
      'INSERT OR REPLACE INTO usage_conversations (provider_session_id, usage_json) VALUES (?, ?)',
    );
  }

  /** Adds a turn to its day, inside the transaction that ends it. */
  add({ day, outcome, usage, providerSessionId, session }: EndedUse): void {
    const isSum = usage?.scope === 'conversation' && providerSessionId !== null;
    const before = isSum ? this.#conversation.get(providerSessionId) : undefined;
    const used = usedAmounts(
      usage,
      before ? (JSON.parse(before.usage_json) as TurnUsage) : null,
      session?.mode === 'new',
    );
    if (isSum) this.#noteConversation.run(providerSessionId, JSON.stringify(usage));
    const counts = outcomes.map((one) => (one === outcome ? 1 : 0));
    const values = sumsOf(used);
    const without = [values.input_tokens === null && values.output_tokens === null, values.cost_usd === null];
    this.#add.run(day, ...counts, ...without.map(Number), ...sumNames.map((name) => values[name]));
  }

  between({ from, to }: DayRange): UsageDay[] {
    return this.#between.all(from, to).map(toUsageDay);
  }
}

/** Converts a row of {@link usageSql} to the day that callers see. */
export function toUsageDay(row: DayRow): UsageDay {
  const { day, completed, failed, interrupted, replaced, without_usage, without_cost, ...rest } = row;
  return {
    date: day,
    turns: { completed, failed, interrupted, replaced },
    turns_without_usage: without_usage,
    turns_without_cost: without_cost,
    ...rest,
  };
}

export type UsageRow = DayRow;

/**
 * Returns the amounts of a turn alone. Pure.
 * @param before the usage that the conversation had reported at its latest turn; null where none is known.
 * @param isFresh whether the conversation began with this turn.
 * @returns null where they are not known.
 */
export function usedAmounts(
  usage: TurnUsage | null,
  before: TurnUsage | null,
  isFresh: boolean,
): TurnUsage['amounts'] | null {
  if (usage === null || usage.scope === 'turn') return usage?.amounts ?? null;
  if (before === null) return isFresh ? usage.amounts : null;
  const own = Object.entries(usage.amounts).map(
    ([name, sum]) => [name, sum - (before.amounts[name] ?? 0)] as const,
  );
  // The tool counts from the beginning again, so how much of the sum is this turn's is not known.
  return own.some(([, amount]) => amount < 0) ? null : Object.fromEntries(own);
}

function sumsOf(amounts: TurnUsage['amounts'] | null): Record<Sum, number | null> {
  const sumOf = (name: Sum): number | null => {
    const found = sums[name].find((one) => amounts?.[one] !== undefined);
    return found === undefined ? null : (amounts?.[found] ?? null);
  };
  return Object.fromEntries(sumNames.map((name) => [name, sumOf(name)])) as Record<Sum, number | null>;
}

const mostDays = 366;
const usualDays = 7;
const dayMilliseconds = 86_400_000;
const dayBefore = (day: string, days: number): string =>
  new Date(Date.parse(day) - days * dayMilliseconds).toISOString().slice(0, 10);

/** Returns the period of so many days that ends today (UTC). */
export function lastDays(days: number, now: Date): DayRange {
  const to = now.toISOString().slice(0, 10);
  return { from: dayBefore(to, days - 1), to };
}

/** A period that breaks a rule, as an item of a 422. */
export interface BrokenPeriod {
  readonly detail: (RuleWords & { loc: ['query', 'from']; input: string })[];
}

/** Returns the period that a caller asks for; what is left out is filled in. Pure. */
export function usagePeriod(
  asked: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: Date,
): DayRange | BrokenPeriod {
  const to = asked.to ?? lastDays(1, now).to;
  const from = asked.from ?? dayBefore(to, usualDays - 1);
  const rule =
    from > to
      ? `must not be after the last day, ${to}`
      : from < dayBefore(to, mostDays - 1)
        ? `must be ${dayBefore(to, mostDays - 1)} or later: at most ${mostDays} days up to ${to}`
        : null;
  return rule === null
    ? { from, to }
    : { detail: [{ ...ruleBroken(rule), loc: ['query', 'from'], input: from }] };
}
