import { createHash } from 'node:crypto';

/** The id of a terminal: the one it was given, else one made from the session's name, which is the same after every start. */
export const terminalIdOf = (given: string | null | undefined, tmuxSessionName: string): string =>
  given && /^[a-f0-9]{8}$/.test(given)
    ? given
    : createHash('sha256').update(tmuxSessionName).digest('hex').slice(0, 8);
