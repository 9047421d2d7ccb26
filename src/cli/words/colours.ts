import { styleText } from 'node:util';

export type Format = 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan';

/** What of a line is painted, and how. */
export interface Paint {
  readonly pattern: RegExp;
  readonly format: Format;
}

/** Whether text for people is coloured: on a terminal, unless NO_COLOR is set; FORCE_COLOR comes before both (force-color.org). */
export function wantsColours(isTerminal: boolean, environment: NodeJS.ProcessEnv): boolean {
  const { FORCE_COLOR: force, NO_COLOR: none, TERM: terminal } = environment;
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false';
  return isTerminal && !none && terminal !== 'dumb';
}

export const coloured = (format: Format, text: string): string =>
  styleText(format, text, { validateStream: false });

/** The line with all that the paints find in it. */
export const painted = (line: string, paints: readonly Paint[]): string =>
  paints.reduce(
    (sofar, { pattern, format }) => sofar.replace(pattern, (found) => coloured(format, found)),
    line,
  );
