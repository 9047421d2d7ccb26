import type { Facts, Violation } from './facts.js';
import { violationKinds } from './facts.js';
import type { Played } from './play-scenario.js';
import type { Scenario } from './scenario.js';
import { readTakes } from './takes.js';

/** Counts of whatever has a name. */
export class Counts {
  readonly #counts = new Map<string, number>();

  add(name: string, times = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + times);
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The most frequent first. */
  get words(): string {
    const sorted = [...this.#counts].sort(([, one], [, other]) => other - one);
    return sorted.length === 0 ? 'none' : sorted.map(([name, count]) => `${count} ${name}`).join(', ');
  }
}

/** The sums over all scenarios. */
export class Tally {
  readonly doors = new Counts();
  readonly shapes = new Counts();
  readonly outcomes = new Counts();
  readonly reasons = new Counts();
  readonly turns = new Counts();
  readonly kills = new Counts();
  readonly faults = new Counts();
  readonly violations = new Counts();
  taken = 0;
  races = 0;
  dialogs = 0;
  scenarios = 0;

  add(scenario: Scenario, { facts, kills, acts }: Played, violations: readonly Violation[]): void {
    this.scenarios += 1;
    for (const name of scenario.switches) this.faults.add(name.replace(/=\d+|(?<=late):\d+/, ''));
    for (const act of acts) this.faults.add(`somebody's ${act}`);
    for (const kind of kills) this.kills.add(kind);
    for (const { kind } of violations) this.violations.add(kind);
    for (const { delivery } of facts.turns) this.turns.add(delivery);
    const { first, races } = readTakes(facts);
    this.races += races.length;
    this.dialogs += facts.ledger.filter(({ shown }) => shown === true).length;
    for (const prompt of facts.prompts) {
      this.doors.add(prompt.forced ? 'direct, forced' : prompt.door);
      this.shapes.add(prompt.shape);
      if (first.has(prompt.tag)) this.taken += 1;
      const { outcome, reason } = fateOf(prompt, facts);
      this.outcomes.add(outcome);
      if (reason !== null) this.reasons.add(reason);
    }
  }

  /** A line for each count. */
  get lines(): string[] {
    return [
      `${this.doors.total} submissions in ${this.scenarios} scenarios: ${this.doors.words}; ${this.taken} taken by the agent, ${this.races} of them touched by somebody, ${this.dialogs} dialogs`,
      `answers: ${this.outcomes.words}`,
      `deliveries of turns: ${this.turns.words}`,
      `reasons: ${this.reasons.words}`,
      `kills: ${this.kills.words}`,
      `faults (scenarios): ${this.faults.words}`,
      `shapes: ${this.shapes.words}`,
      `violations: ${violationKinds.map((kind) => `${this.violations.of(kind)} ${kind}`).join(', ')}`,
    ];
  }
}

/** How a prompt ended for its sender. */
function fateOf(
  { answer, door }: Facts['prompts'][number],
  { requests, turns, events }: Facts,
): { outcome: string; reason: string | null } {
  if (answer.kind === 'none') return { outcome: 'no answer', reason: null };
  if (answer.kind === 'sent') return { outcome: 'sent', reason: null };
  if (answer.kind === 'refused')
    return { outcome: 'refused', reason: `${answer.code}: ${inGeneral(answer.detail)}` };
  if (door === 'reminder') {
    const end = events.find(
      ({ kind, subject }) => subject === answer.id && /^reminder_(completed|failed)$/.test(kind),
    );
    return end === undefined
      ? { outcome: 'reminder without an end', reason: null }
      : { outcome: end.kind.replace('_', ' '), reason: end.detail === null ? null : inGeneral(end.detail) };
  }
  const request = requests.find(({ id }) => id === answer.id);
  const delivery = turns.findLast(({ requestId }) => requestId === answer.id)?.delivery;
  if (request?.state === 'accepted')
    return { outcome: 'waiting', reason: inGeneral(request.waiting ?? 'no reason') };
  if (request?.state !== 'failed') return { outcome: request?.state ?? 'lost', reason: null };
  const how = delivery === 'unconfirmed' ? 'unconfirmed' : 'failed';
  return { outcome: how, reason: `${request.errorCode}: ${inGeneral(request.errorDetail ?? '')}` };
}

/** Without what differs from one prompt to the next. */
const inGeneral = (detail: string): string =>
  detail
    .replace(/\([^)]*='[^)]*\)/g, '(…)')
    .replace(/(turn|gwreq)-[\w-]+/g, '$1')
    .replace(/\d+/g, 'N')
    .slice(0, 160);

/** A line for the scenario and one for each of its prompts. */
export function fates(scenario: Scenario, { facts, kills, acts }: Played): string[] {
  const { first } = readTakes(facts);
  const lines = facts.prompts.map((prompt) => {
    const { outcome, reason } = fateOf(prompt, facts);
    const taken = first.has(prompt.tag) ? 'taken' : 'not taken';
    return `  ${prompt.tag} ${prompt.forced ? 'forced' : prompt.door} (${prompt.shape}): ${outcome}, ${taken}${reason === null ? '' : `; ${reason}`}`;
  });
  return [`scenario ${scenario.number}: ${[...scenario.switches, ...kills, ...acts].join(', ')}`, ...lines];
}
