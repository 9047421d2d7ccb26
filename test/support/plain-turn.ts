import { isRefusal, type PromptRefusal, type ResolvedTurn } from '../../src/agent/target/agent-target.js';
import type { TurnObserver } from '../../src/run/running-turn.js';

/** A prompt that asks for nothing in particular. */
export const plainAssignment = { turnId: 'turn-1', prompt: 'x' };
export const plainOptions = { chatSession: null, execution: null };

/** The resolved turn of a target that must not refuse. */
export function resolved(turn: ResolvedTurn | PromptRefusal): ResolvedTurn {
  if (isRefusal(turn)) throw new Error(`refused: ${turn.detail}`);
  return turn;
}

/** Notes what a target says of a turn. */
export interface TurnNotes extends TurnObserver {
  spawnedPids: number[];
  handedOverBy: string[];
  confirmedBy: string[];
  reports: string[];
}

export function turnNotes(): TurnNotes {
  const notes = { spawnedPids: [], handedOverBy: [], confirmedBy: [], reports: [] } as Pick<
    TurnNotes,
    'spawnedPids' | 'handedOverBy' | 'confirmedBy' | 'reports'
  >;
  return {
    ...notes,
    spawned: ({ pid }) => void notes.spawnedPids.push(pid),
    handedOver: (evidence) => void notes.handedOverBy.push(evidence),
    pasting: async () => undefined,
    confirmed: (evidence) => void notes.confirmedBy.push(evidence),
    report: (fault) => void notes.reports.push(fault),
  };
}
