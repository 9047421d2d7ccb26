import { createHash } from 'node:crypto';

const prefix = 'HOUMAO-';

/** `alpha` and `HOUMAO-alpha` are one agent. */
export const canonicalName = (name: string): string => (name.startsWith(prefix) ? name : `${prefix}${name}`);

/** The name as whoever launched the agent gave it: `alpha` of `HOUMAO-alpha`. */
export const unprefixedName = (name: string): string =>
  name.startsWith(prefix) && name !== prefix ? name.slice(prefix.length) : name;

/**
 * MD5 of the canonical name: how the older implementation identifies an agent; no secret
 * (docs/decisions.md#agent-names).
 */
export const agentIdOf = (name: string): string =>
  createHash('md5').update(canonicalName(name)).digest('hex');

/** A name becomes a folder and a tmux session. */
export const isAgentName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name);
