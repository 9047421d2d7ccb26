/** What a look for the gateway of a session has shown. Only one that answers tells of its agent; else this server looks itself. */
export type GatewaySight =
  | 'answers'
  /** None is there: nothing is published, or its process has ended. */
  | 'absent'
  /** Its process is there, and gives no usable answer. */
  | 'silent'
  /** It serves, but not this server. */
  | 'refuses';

/** What came of asking a gateway for all that is wanted of it. */
export interface PlaneFacts {
  /** The status of each answer; null for a question without one. None were asked where nothing is published. */
  readonly answers: readonly (number | null)[];
  /** Whether the process is there that published itself as the gateway of the session. */
  readonly processLives: boolean;
}

/** It serves, but not this server. */
const refusals: ReadonlySet<number> = new Set([401, 403, 421]);

/**
 * A gateway counts only with its answers (docs/decisions.md#trust-after-health), and with all of them: one that died between two
 * has told half. A refusal of one question, such as of a terminal that it has not, is an answer.
 */
export function gatewaySight({ answers, processLives }: PlaneFacts): GatewaySight {
  const [first] = answers;
  if (first !== undefined && first !== null && refusals.has(first)) return 'refuses';
  if (first === 200 && !answers.includes(null)) return 'answers';
  return processLives ? 'silent' : 'absent';
}
