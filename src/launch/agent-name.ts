import { createHash } from 'node:crypto';

const prefix = 'HOUMAO-';

/** Adds the prefix if it is missing: `alpha` and `HOUMAO-alpha` are the same agent. */
export const canonicalName = (name: string): string => (name.startsWith(prefix) ? name : `${prefix}${name}`);

/** Returns the name that was given at the launch: `alpha` for `HOUMAO-alpha`. */
export const unprefixedName = (name: string): string =>
  name.startsWith(prefix) && name !== prefix ? name.slice(prefix.length) : name;

/**
 * Returns the MD5 of the canonical name, by which the older implementation identifies an agent; it is not a secret
 * (docs/decisions.md#agent-names).
 */
export const agentIdOf = (name: string): string =>
  createHash('md5').update(canonicalName(name)).digest('hex');

/** Checks a name, which becomes a folder and a tmux session. */
export const isAgentName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name);

/** The maximum length of tool and role together. */
const longestBase = 40;
export const nameRule = 'letters, digits, - and _ only, at most 64, beginning with a letter or digit';

/**
 * Pure: says why a name is not allowed for an agent; null if it is. The prefix belongs to the system: alone, or repeated as a
 * word of the name, it would name another agent than the reader thinks.
 */
export function agentNameRule(name: string): string | null {
  if (!isAgentName(name)) return nameRule;
  const own = name.startsWith(prefix) ? name.slice(prefix.length) : name;
  if (!isAgentName(own)) return 'a name needs more than HOUMAO-';
  return own.split(/[-_]+/).includes('HOUMAO') ? 'HOUMAO is reserved and cannot be a word of the name' : null;
}

/** Pure: returns the name of an agent for which no name was given. */
export function defaultAgentName(tool: string, role: string): string {
  const words = `${tool}-${role}`
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .split(/-+/)
    .filter((word) => word !== '' && word !== 'HOUMAO');
  const base = words
    .join('-')
    .slice(0, longestBase)
    .replace(/^[-_]+/, '')
    .replace(/[-_]+$/, '');
  return canonicalName(base || 'agent');
}

/** Checks an id, which becomes a folder. */
export const isAgentId = (id: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id);
