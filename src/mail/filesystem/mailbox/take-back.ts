/**
 * Undoes steps, the last one first. One that fails keeps no other from being undone, and does not hide why all of it is: what it
 * leaves is for a repair to find.
 */
export function takeBack(steps: readonly (() => void)[]): void {
  for (const step of [...steps].reverse())
    try {
      step();
    } catch {
      // The fault that everything is taken back for is the one to tell of.
    }
}
