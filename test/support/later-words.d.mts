/** See later-words.mjs. */
export function withLaterWords(
  url: string,
): Promise<{ readonly url: string; readonly count: () => number; readonly close: () => Promise<void> }>;
