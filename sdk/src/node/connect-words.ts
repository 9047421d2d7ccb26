import type { ConnectErrorCode, ConnectFailedFields, SeenAgent } from './connect-failed.js';
import type { Registry, UnusableRecord } from './registry.js';

const codes = {
  absent: 'no_gateway',
  silent: 'gateway_silent',
  refusing: 'gateway_refuses',
} as const satisfies Record<string, ConnectErrorCode>;

/** The one agent that a name means, without a usable gateway. */
export type Unreached = SeenAgent & { readonly gateway: keyof typeof codes };

/** Describes the failure for an unknown name. @param name the agent, as the caller named it. */
export function noSuchAgent(
  name: string,
  registry: Registry,
  seen: readonly SeenAgent[],
): ConnectFailedFields {
  const { folder, unusable, fault } = registry;
  if (fault !== null) {
    const detail = `The records of agents in ${folder} cannot be read (${fault}), so no agent can be found by name. Give the gateway's address to createGatewayClient, or name another registry (registryRoot, HOUMAO_GLOBAL_REGISTRY_DIR).`;
    return { errorCode: 'registry_unreadable', detail, folder, seen, unusable };
  }
  const all = inWords(seen, unusable);
  const there = all === null ? 'It has no records.' : `It has ${all}.`;
  const todo = `Launch it (houmao-mgr agents launch --tool claude --headless --name ${name}), or name the registry that has it (registryRoot, HOUMAO_GLOBAL_REGISTRY_DIR).`;
  return {
    errorCode: 'unknown_agent',
    detail: `There is no agent ${name} in ${folder}. ${there} ${todo}`,
    folder,
    seen,
    unusable,
  };
}

/** Describes the failure for a name that several agents have. */
export function ambiguousAgent(
  name: string,
  { folder, unusable }: Registry,
  meant: readonly SeenAgent[],
  seen: readonly SeenAgent[],
): ConnectFailedFields {
  const each = meant.map((agent) => `${wordsOf(agent)}, id ${agent.agentId}`).join('; ');
  const detail = `${name} means several agents of ${folder}: ${each}. Name one by its id, or by its whole name where they differ in it.`;
  return { errorCode: 'ambiguous_agent', detail, folder, seen, unusable };
}

/** Describes the failure for an agent whose gateway cannot be used. */
export function unreachedGateway(
  name: string,
  { folder, unusable }: Registry,
  agent: Unreached,
  seen: readonly SeenAgent[],
): ConnectFailedFields {
  const others = seen.filter(({ agentId }) => agentId !== agent.agentId);
  const all = inWords(others, unusable);
  const rest = all === null ? '' : ` Also in ${folder}: ${all}.`;
  const detail = `${agent.agentName} has no gateway that can be used: ${stateOf(agent)}. ${remedies[agent.gateway](name)}${rest}`;
  return { errorCode: codes[agent.gateway], detail, folder, seen, unusable };
}

const remedies: Readonly<Record<keyof typeof codes, (name: string) => string>> = {
  absent: (name) =>
    `Start one (houmao-mgr agents gateway attach ${name}), or prompt it by a server (@houmao/sdk/managed-agent).`,
  silent: (name) =>
    `See how it is (houmao-mgr agents gateway status ${name}), and start one where none runs (houmao-mgr agents gateway attach ${name}).`,
  refusing: () =>
    'Run as the user whose gateway it is, have it started with --allowed-user, or give its token to createGatewayClient.',
};

function inWords(seen: readonly SeenAgent[], unusable: readonly UnusableRecord[]): string | null {
  const records = unusable.map(({ path, reason }) => `${path}, which cannot be used (${reason})`);
  return [...seen.map(wordsOf), ...records].join('; ') || null;
}

const wordsOf = (agent: SeenAgent): string => `${agent.agentName} (${stateOf(agent)})`;

function stateOf({ gateway, detail, leaseExpired, sessionRoot }: SeenAgent): string {
  const states = {
    serving: 'its gateway answers',
    refusing: `its gateway refuses this caller: ${detail}`,
    silent: `its gateway gives no answer: ${detail}`,
    absent: `no gateway has published itself in ${sessionRoot}`,
  };
  return leaseExpired ? `${states[gateway]}; its record has not been renewed for a day` : states[gateway];
}
