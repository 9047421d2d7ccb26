import type { Clock } from '../foundation/clock.js';
import { isAlive } from '../foundation/process-identity.js';
import { TurnOwnership, turnOwner } from './turn-ownership.js';
import { placeWish, withdrawWish } from './turn-wish.js';

/** An owner that gives way leaves its turn within this time; an attacher waits twice as long for a gateway. */
const patienceMilliseconds = 5000;
const retryMilliseconds = 20;

/**
 * Takes the right to run the turns of a session, if need be from an owner that gives way: that one leaves what runs, to be
 * adopted here.
 * @returns null when another process has it and keeps it.
 * @throws the file system's error.
 */
export async function claimTurns(
  runDirectory: string,
  program: string,
  clock: Clock,
): Promise<TurnOwnership | null> {
  const deadline = clock.monotonic() + patienceMilliseconds;
  let wished = false;
  try {
    for (;;) {
      const ownership = TurnOwnership.take(runDirectory, program);
      if (ownership) return ownership;
      const owner = turnOwner(runDirectory);
      // Between taking and saying so, and between the two at the end, an owner has no name.
      const stays = owner !== null && !owner.givesWay && isAlive(owner);
      if (stays || clock.monotonic() >= deadline) return null;
      if (!wished) placeWish(runDirectory);
      wished = true;
      await clock.sleep(retryMilliseconds);
    }
  } finally {
    if (wished) withdrawWish(runDirectory);
  }
}
