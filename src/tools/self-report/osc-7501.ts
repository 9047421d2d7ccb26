import type { OscSequence } from './osc-sequences.js';
import type { AgentState, StateFact } from './self-report.js';

const states: Readonly<Record<string, AgentState>> = {
  idle: 'idle',
  working: 'busy',
  done: 'idle',
  blocked: 'waiting',
  // The turn failed and the composer is open again.
  error: 'idle',
};

/**
 * The state in a sequence such as `7501;state=blocked:app=codex:kind=permission`; null for a query, for another program's
 * and for what is not known.
 */
export function readOsc7501({ code, text }: OscSequence, app: string): StateFact | null {
  if (code !== 7501 || text.startsWith('?')) return null;
  const fields = new Map(text.split(':').map((field) => splitField(field)));
  const word = fields.get('state') ?? '';
  const state = Object.hasOwn(states, word) ? states[word] : undefined;
  if (state === undefined || fields.get('app') !== app) return null;
  const waitingFor = state === 'waiting' ? (fields.get('kind') ?? null) : null;
  return { kind: 'state', state, waitingFor, evidence: `OSC 7501 state=${word}`, at: null };
}

function splitField(field: string): [string, string] {
  const at = field.indexOf('=');
  return at === -1 ? [field, ''] : [field.slice(0, at), field.slice(at + 1)];
}
