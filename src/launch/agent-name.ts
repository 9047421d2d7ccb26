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

/** Of tool and role together. */
const longestBase = 40;
export const nameRule = 'letters, digits, - and _ only, at most 64, beginning with a letter or digit';

/**
 * Pure: why a name cannot be an agent's, null where it can. The prefix belongs to the system: alone, or once more as a word of the
 * name, it would name another agent than whoever reads it thinks.
 */
export function agentNameRule(name: string): string | null {
  if (!isAgentName(name)) return nameRule;
  const own = name.startsWith(prefix) ? name.slice(prefix.length) : name;
  if (!isAgentName(own)) return 'a name needs more than HOUMAO-';
  return own.split(/[-_]+/).includes('HOUMAO') ? 'HOUMAO is reserved and cannot be a word of the name' : null;
}

/** Pure: what an agent is called that nobody named. */
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

/** An id becomes a folder. */
export const isAgentId = (id: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id);
