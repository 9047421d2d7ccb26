export const done = (): true => true;

/**
 * Handles the refusal of a stop: with this status it resolves to false, because nothing was stopped; any other error is
 * rethrown.
 */
export const unless =
  (status: number) =>
  (error: unknown): false => {
    if ((error as { status?: unknown }).status === status) return false;
    throw error;
  };

/**
 * Stops work that waits or runs, and nothing that comes after it. Resolves when it was interrupted, was taken back, or has
 * ended.
 * @param interrupt resolves to false when it does not run now.
 * @param takeBack resolves to false when it no longer waits.
 */
export const stopWork = async (
  interrupt: () => Promise<boolean>,
  takeBack: () => Promise<boolean>,
): Promise<void> => {
  // The work may begin between the first two calls.
  (await interrupt()) || (await takeBack()) || (await interrupt());
};
