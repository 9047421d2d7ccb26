import { table } from './terminal-output.js';

/** What a command does, in a few words that a command may follow, and the command: a whole line. */
export type Remedy = readonly [what: string, command: string];

/** Commands that lead on, each with what it is for, in a line each. */
export const remedyLines = (remedies: readonly Remedy[]): string =>
  table(remedies)
    .map((line) => `  ${line}`)
    .join('\n');

/** The same in one sentence. */
export function remedySentence(remedies: readonly Remedy[]): string {
  const text = remedies.map(([what, command]) => `${what}: ${command}`).join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
