import { unprefixedName } from '../../launch/agent-name.js';

/** An agent of this host, as the directory knows it. Unknown values are null. */
export interface ManagedAgent {
  /** A TUI agent's session name, a headless agent's runtime session id. */
  readonly trackedAgentId: string;
  readonly transport: 'tui' | 'headless';
  readonly tool: string;
  /** TUI only. */
  readonly sessionName: string | null;
  /** TUI only: 8 hexadecimal digits. */
  readonly terminalId: string | null;
  readonly runtimeSessionId: string | null;
  readonly tmuxSessionName: string | null;
  readonly tmuxWindowName: string | null;
  /** Absolute. */
  readonly manifestPath: string | null;
  /** Absolute. */
  readonly sessionRoot: string | null;
  readonly agentName: string | null;
  readonly agentId: string | null;
}

/** The result of looking up a reference in a path. */
export type Resolution =
  | { readonly kind: 'one'; readonly agent: ManagedAgent }
  | { readonly kind: 'none' }
  /** The reference is blank. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'ambiguous'; readonly agents: readonly ManagedAgent[] };

/** Returns the name of an agent in sentences: the one that people gave it, or its id where it has none. */
export const spokenName = ({
  agentName,
  trackedAgentId,
}: Pick<ManagedAgent, 'agentName' | 'trackedAgentId'>): string =>
  agentName === null ? trackedAgentId : unprefixedName(agentName);

/** Returns the names of an agent, letter by letter. */
function givenTo(agent: ManagedAgent): ReadonlySet<string> {
  const { trackedAgentId, sessionName, terminalId, runtimeSessionId, agentName, agentId } = agent;
  const given = [trackedAgentId, sessionName, terminalId, runtimeSessionId, agentName, agentId];
  return new Set(given.filter((alias) => alias !== null));
}

/** Returns all names of an agent. A name that a launch has completed is also found as it was requested. */
export function aliasesOf(agent: ManagedAgent): ReadonlySet<string> {
  const asked = agent.agentName === null ? [] : [unprefixedName(agent.agentName)];
  return new Set([...givenTo(agent), ...asked]);
}

/** Sorts the agents as they are listed: by transport, then by tracked id, as plain strings. */
export const inOrder = (agents: readonly ManagedAgent[]): ManagedAgent[] =>
  [...agents].sort((one, other) => compare(one.transport, other.transport) || byId(one, other));

const byId = (one: ManagedAgent, other: ManagedAgent): number =>
  compare(one.trackedAgentId, other.trackedAgentId);
const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/**
 * The agents by alias, compared letter by letter; no agent is in it twice under one alias. A tracked id distinguishes the
 * agents of an ambiguous name, so a name without its prefix gives way to a tracked id.
 */
export class AliasIndex {
  readonly #byAlias = new Map<string, ManagedAgent[]>();

  constructor(agents: Iterable<ManagedAgent>) {
    for (const agent of agents)
      for (const alias of aliasesOf(agent)) {
        const same = this.#byAlias.get(alias);
        if (same) same.push(agent);
        else this.#byAlias.set(alias, [agent]);
      }
  }

  resolve(reference: string): Resolution {
    const alias = reference.trim();
    if (alias === '') return { kind: 'empty' };
    const all = this.#byAlias.get(alias) ?? this.#withoutPrefix(unprefixedName(alias));
    const tracked = all.some(({ trackedAgentId }) => trackedAgentId === alias);
    const [agent, ...others] = tracked ? all.filter((one) => givenTo(one).has(alias)) : all;
    if (!agent) return { kind: 'none' };
    return others.length === 0
      ? { kind: 'one', agent }
      : { kind: 'ambiguous', agents: inOrder([agent, ...others]) };
  }

  /**
   * Returns the agents whose name has no prefix: the older implementation gives such names, and `HOUMAO-alpha` finds
   * `alpha`.
   */
  #withoutPrefix(name: string): ManagedAgent[] {
    return (this.#byAlias.get(name) ?? []).filter(({ agentName }) => agentName === name);
  }
}
