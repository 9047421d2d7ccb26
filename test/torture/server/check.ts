import type { StandinAgent } from '../../support/standin-agent.js';
import type { LedgerRow } from './agents.js';
import type { End, Submission } from './load.js';

/** The acts of one agent, beside what its callers learned of it. */
export interface AgentFacts {
  agent: Pick<StandinAgent, 'name' | 'transport'>;
  ledger: readonly LedgerRow[];
  submissions: readonly Submission[];
  /** Whether a caller asked it to stop. */
  interrupted: boolean;
}

/** Pure: holds all of it together. @returns the violations, in words. */
export function check(facts: AgentFacts): string[] {
  const takes = takesOf(facts.ledger);
  const known = new Set(facts.submissions.map(({ tag }) => tag));
  return [
    ...[...takes].flatMap(([tag, rows]) => [
      ...(rows.length > 1 ? [`${tag} ran ${rows.length} times`] : []),
      ...(known.has(tag) ? [] : [`nobody asked for ${tag}`]),
    ]),
    ...facts.submissions.flatMap((one) => submissionFaults(one, takes.get(one.tag)?.[0] ?? null, facts)),
  ].map((what) => `${facts.agent.name}: ${what}`);
}

/** The rows by which the agent took a prompt, by its word. */
function takesOf(ledger: readonly LedgerRow[]): Map<string, LedgerRow[]> {
  const takes = new Map<string, LedgerRow[]>();
  for (const row of ledger)
    for (const tag of row.prompt?.match(/\bword\d+\b/g) ?? [])
      takes.set(tag, [...(takes.get(tag) ?? []), row]);
  return takes;
}

function submissionFaults(submission: Submission, take: LedgerRow | null, facts: AgentFacts): string[] {
  const { tag, reported, way, end } = submission;
  const name = `${tag} (${way})`;
  if (reported === 'refused') return take ? [`${name} was refused, and the agent had it`] : [];
  if (reported === 'taken' && end === null) return [`${name} was taken, and has no end`];
  return end ? endFaults(end, take, submission, facts).map((what) => `${name} ${what}`) : [];
}

function endFaults(
  end: End,
  take: LedgerRow | null,
  { prompt, tag }: Submission,
  facts: AgentFacts,
): string[] {
  const words = `is ${end.outcome} (${end.delivery}; ${end.error})`;
  const done =
    take && facts.ledger.find((row) => row.done && row.pid === take.pid && isEndOf(row, take, facts));
  if (end.outcome === 'none' || end.delivery === 'failed')
    return take ? [`${words}, and the agent had it`] : [];
  if (end.delivery === 'confirmed' && !take) return [`${words}, and the agent never had it`];
  if (end.outcome === 'completed') {
    if (!end.answer?.includes(tag)) return [`${words} with the answer ${JSON.stringify(end.answer)}`];
    return done?.outcome === 'answered' ? [] : [`${words}, and the agent ended it as ${done?.outcome}`];
  }
  if (facts.interrupted) return [];
  if (end.outcome === 'interrupted') return [`${words}, and nobody interrupted it`];
  return /exit=|crash/.test(prompt) ? [] : [`${words} for no reason`];
}

/** A process ends a turn behind its beginning: a later one may have its number. In a terminal one process ends many, in their order. */
function isEndOf(row: LedgerRow, take: LedgerRow, { agent, ledger }: AgentFacts): boolean {
  const begun = ledger.indexOf(take);
  const at = ledger.indexOf(row);
  if (agent.transport === 'headless') return at > begun;
  const next = ledger.findIndex((one, index) => index > begun && one.prompt !== undefined);
  return at > begun && (next === -1 || at < next);
}
