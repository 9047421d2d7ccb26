import type { AgentState, StateFact } from '../../self-report/self-report.js';

/** The word after the sign may be another one: the sign says it. */
const states: Readonly<Record<string, AgentState>> = { '◇': 'idle', '✦': 'busy', '✋': 'waiting' };

/** The state in the title of the terminal, such as `✦  Working… (project)`; null for another title. */
export function readGeminiTitle(title: string): StateFact | null {
  const sign = /^(\S)\ufe0f?\s+\S/u.exec(title)?.[1] ?? '';
  const state = Object.hasOwn(states, sign) ? states[sign] : undefined;
  if (state === undefined) return null;
  const waitingFor = state === 'waiting' ? 'Action Required' : null;
  return { kind: 'state', state, waitingFor, evidence: `terminal title ${sign}`, at: null };
}
