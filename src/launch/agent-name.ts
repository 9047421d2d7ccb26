import { createHash } from 'node:crypto';

const prefix = 'HOUMAO-';

/** `alpha` and `HOUMAO-alpha` are one agent (decision 26). */
export const canonicalName = (name: string): string => (name.startsWith(prefix) ? name : `${prefix}${name}`);

/** MD5 of the canonical name: the reference's identity of an agent, no secret (managed-agent §2.3). */
export const agentIdOf = (name: string): string =>
  createHash('md5').update(canonicalName(name)).digest('hex');

/** A name becomes a folder and a tmux session. */
export const isAgentName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name);
