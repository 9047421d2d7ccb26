import { TurnOwnership } from '../../src/turn/turn-ownership.js';

/** The right to run the turns of a session that no other process knows of. */
export function ownTurns({ run }: { run: string }): TurnOwnership {
  const ownership = TurnOwnership.take(run, 'test');
  if (!ownership) throw new Error('another process owns the turns of this test');
  return ownership;
}
