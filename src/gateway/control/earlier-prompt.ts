import type { TurnRow } from '../../turn/turn-table.js';

/** What is known of a direct prompt whose gateway died before it answered. */
export type EarlierPrompt =
  | { kind: 'dispatched' }
  /** It is being handed over: in a moment more is known. */
  | { kind: 'under_way' }
  | { kind: 'failed'; detail: string };

/**
 * What a repetition of a direct prompt is told. `dispatched` is said only where the agent has the prompt.
 * @param typed whether prompts are typed into a terminal, where being typed is not yet being taken.
 */
export function earlierPrompt(
  turn: Pick<TurnRow, 'turn_id' | 'delivery_state' | 'state' | 'outcome' | 'error_detail'>,
  typed: boolean,
): EarlierPrompt {
  const { turn_id, delivery_state, state, outcome, error_detail } = turn;
  if (outcome === 'completed') return { kind: 'dispatched' };
  switch (delivery_state) {
    case 'confirmed':
      return { kind: 'dispatched' };
    case 'handed_over':
      return typed && state === 'running' ? { kind: 'under_way' } : { kind: 'dispatched' };
    case 'claimed':
      if (state === 'running') return { kind: 'under_way' };
      break;
    case 'unconfirmed':
    case 'failed':
      break;
  }
  const detail = error_detail ?? 'Whether the agent has the prompt is not known.';
  return { kind: 'failed', detail: `${detail} See turn ${turn_id}.` };
}
