import { basename, delimiter, dirname, relative } from 'node:path';

/** How a program was called, as the process knows it. */
export interface CalledAs {
  /** The file that was started, absolute: a link where it was called by one. */
  readonly script: string;
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** The beginning of a command line that calls this program again from here. */
export function programName({ script, directory, environment }: CalledAs): string {
  const { npm_lifecycle_event: event, npm_lifecycle_script: command = '' } = environment;
  if (event === 'npx' && /^\W?houmao-mgr\b/.test(command)) return 'npx houmao-mgr';
  if ((environment.PATH ?? '').split(delimiter).includes(dirname(script))) return quoted(basename(script));
  const below = relative(directory, script);
  const near = below !== '' && !below.startsWith('..');
  return `node ${quoted(near ? below : script)}`;
}

/** A word as a shell takes it. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** A command of this program in a sentence of ours: it begins with its name, and one of its groups or `--help`. */
const mention = /(?<![\w/.-])houmao-mgr(?= (?:agents|server|mailbox|completion|--help)\b)/g;

/** A sentence whose commands can be pasted: they begin with what this program was called by. */
export const pastable = (text: string, name: string): string => text.replace(mention, () => name);
