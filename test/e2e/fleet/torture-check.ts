// The promises of a fleet, held against what its agents took and what its readers saw. Pure.

/** A prompt that the fleet accepted. */
export interface SentPrompt {
  readonly commandId: string;
  readonly sender: string;
  /** Such as `alpha@ws1`. */
  readonly agent: string;
  readonly prompt: string;
  /** Whether its deadline had passed when it was given, so that it is not to run. */
  readonly lapses?: boolean;
}

/** How a request ended. */
export interface RequestEnd {
  readonly state: string;
  /** The delivery of its turn; null where it has none. */
  readonly delivery: string | null;
  /** The code of its error; null where it has none. */
  readonly code?: string | null;
}

/** An item of the events of the fleet. */
export interface SeenItem {
  readonly id: string;
  readonly host: string | null;
  readonly agent: string | null;
  readonly seq: number | null;
  readonly isGap: boolean;
}

/** Whether an end says that the agent took the prompt. */
export const saysTaken = ({ state, delivery }: RequestEnd): boolean =>
  state === 'completed' || delivery === 'confirmed';

/**
 * Returns what was broken: a prompt that was lost, ran twice, came in another order than its sender gave it, or was never given; a
 * command without an end; events of one agent that have a hole or come twice, where no gap says so.
 * @param sent in the order of each sender. @param taken the prompts of each agent as it took them
 */
export function violations(
  sent: readonly SentPrompt[],
  taken: ReadonlyMap<string, readonly string[]>,
  ends: ReadonlyMap<string, RequestEnd>,
  items: readonly SeenItem[],
): string[] {
  return [...brokenPrompts(sent, taken, ends), ...brokenOrder(sent, taken), ...brokenEvents(items)];
}

function brokenPrompts(
  sent: readonly SentPrompt[],
  taken: ReadonlyMap<string, readonly string[]>,
  ends: ReadonlyMap<string, RequestEnd>,
): string[] {
  const given = new Set(sent.map(({ agent, prompt }) => `${agent} ${prompt}`));
  const invented = [...taken].flatMap(([agent, prompts]) =>
    prompts
      .filter((prompt) => !given.has(`${agent} ${prompt}`))
      .map((prompt) => `${agent} took ${prompt}, which was never given`),
  );
  const broken = sent.flatMap(({ commandId, agent, prompt, lapses = false }) => {
    const times = (taken.get(agent) ?? []).filter((one) => one === prompt).length;
    const end = ends.get(commandId);
    if (end === undefined) return [`${commandId} (${prompt}) has no end`];
    if (end.code === 'not_admitted') return [`${agent} was refused ${prompt}`];
    if (lapses !== (end.code === 'lapsed')) return [`${commandId} (${prompt}) ended with ${end.code}`];
    if (lapses && times > 0) return [`${agent} took ${prompt} after its deadline`];
    if (times > 1) return [`${agent} took ${prompt} ${times} times`];
    return times === 1 || !saysTaken(end) ? [] : [`${agent} never took ${prompt}, which is ${end.state}`];
  });
  return [...broken, ...invented];
}

function brokenOrder(sent: readonly SentPrompt[], taken: ReadonlyMap<string, readonly string[]>): string[] {
  const laneOf = ({ sender, agent }: SentPrompt): string => `${sender} to ${agent}`;
  return [...new Set(sent.map(laneOf))].flatMap((lane) => {
    const places = sent
      .filter((one) => laneOf(one) === lane)
      .map(({ agent, prompt }) => (taken.get(agent) ?? []).indexOf(prompt))
      .filter((place) => place !== -1);
    return places.some((place, at) => at > 0 && place < (places[at - 1] ?? 0))
      ? [`${lane}: out of order`]
      : [];
  });
}

/**
 * Returns where events are missing at the end: those that a host has itself, and no reader has seen, without a gap behind the last one
 * that was seen.
 * @param own the number of the last event of each agent, as its host has it, by `<agent>@<host>`
 */
export function missingAtEnd(items: readonly SeenItem[], own: ReadonlyMap<string, number>): string[] {
  const seen = new Map<string, number>();
  for (const { host, agent, seq } of items) if (seq !== null) seen.set(`${agent}@${host}`, seq);
  return [...own].flatMap(([agent, last]) =>
    seen.get(agent) === last ? [] : [`${agent}: the last event is ${last}, and ${seen.get(agent)} was seen`],
  );
}

function brokenEvents(items: readonly SeenItem[]): string[] {
  const last = new Map<string, number>();
  const ids = new Set<string>();
  return items.flatMap(({ id, host, agent, seq, isGap }) => {
    const twice = ids.has(id) ? [`event ${id} came twice`] : [];
    ids.add(id);
    if (isGap) last.clear();
    if (seq === null) return twice;
    const key = `${agent}@${host}`;
    const before = last.get(key);
    last.set(key, seq);
    const isNext = before === undefined || seq === before + 1;
    return isNext ? twice : [...twice, `${key}: event ${seq} after ${before}`];
  });
}
