/** See node-environment.mjs. */
export function nodeEnvironment(
  name: string,
  manifest: object,
  options?: { say?: (text: string) => void; runScripts?: boolean },
): string;
