/** What an agent says that a turn used (docs/decisions.md#usage). */
export interface TurnUsage {
  /** The model that answered, as the agent names it. */
  model: string | null;
  /** What the amounts are of. */
  scope: 'turn' | 'conversation';
  /** By name, as `tools/adapter/usage.ts` names them. */
  amounts: Record<string, number>;
}

/** Keeps the numbers of what an agent told. @returns null when it told nothing. */
export function turnUsageOf(
  model: string | null,
  usage: Readonly<Record<string, unknown>> | null,
  scope: TurnUsage['scope'],
): TurnUsage | null {
  const isAmount = (entry: [string, unknown]): entry is [string, number] =>
    typeof entry[1] === 'number' && Number.isFinite(entry[1]);
  const amounts = Object.fromEntries(Object.entries(usage ?? {}).filter(isAmount));
  return model === null && Object.keys(amounts).length === 0 ? null : { model, scope, amounts };
}
