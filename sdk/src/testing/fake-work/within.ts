/** Waits for an end, for at most `milliseconds`. @throws the signal's reason when it fires first. */
export async function within(milliseconds: number, end: Promise<void>, signal: AbortSignal): Promise<void> {
  if (milliseconds === 0) {
    // An end that has already happened has taken effect after this step.
    await Promise.resolve();
    return;
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop: (() => void) | undefined;
  try {
    await Promise.race([
      end,
      new Promise<void>((resolve, reject) => {
        timer = setTimeout(resolve, milliseconds);
        stop = () => reject(signal.reason);
        signal.addEventListener('abort', stop);
      }),
    ]);
  } finally {
    clearTimeout(timer);
    if (stop) signal.removeEventListener('abort', stop);
  }
}
