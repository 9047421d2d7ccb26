export const done = (): true => true;

/** Whether it was done; what the server refuses with that status was not. */
export const unless =
  (status: number) =>
  (error: unknown): false => {
    if ((error as { status?: unknown }).status === status) return false;
    throw error;
  };

/**
 * Stops work that waits or runs, and nothing that comes after it. Resolves when it was told to stop, was taken back, or is over.
 * @param interrupt resolves to false when it does not run now.
 * @param takeBack resolves to false when it waits no more.
 */
export const stopWork = async (
  interrupt: () => Promise<boolean>,
  takeBack: () => Promise<boolean>,
): Promise<void> => {
  // It may begin between the first two.
  (await interrupt()) || (await takeBack()) || (await interrupt());
};
