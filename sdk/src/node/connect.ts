// The entry `@houmao/sdk/node`: everything public of it is named here.
import { resolve } from 'node:path';
import {
  createGatewayClient,
  type GatewayClient,
  type GatewayClientOptions,
} from '../gateway/gateway-client.js';
import { chooseAgent } from './choose-agent.js';
import { ConnectFailed, type SeenAgent } from './connect-failed.js';
import { ambiguousAgent, noSuchAgent, unreachedGateway } from './connect-words.js';
import { type GatewaySight, lookForGateway } from './find-gateway.js';
import { type PublishedAgent, type Registry, readRegistry, registryRoot } from './registry.js';

export type { ConnectErrorCode, SeenAgent } from './connect-failed.js';
// biome-ignore lint/performance/noBarrelFile: a package has one entry, and the error class belongs to its API
export { ConnectFailed } from './connect-failed.js';
export type { UnusableRecord } from './registry.js';

/** The agent to connect to, and the limits of its client. */
export interface ConnectOptions extends Omit<GatewayClientOptions, 'baseUrl' | 'token'> {
  /** The agent's name, with or without `HOUMAO-`, or its id. */
  agent: string;
  /** The folder of the shared registry. Default: `HOUMAO_GLOBAL_REGISTRY_DIR`, or else `~/.houmao/registry`. */
  registryRoot?: string | undefined;
}

/**
 * Finds the gateway of an agent of this machine by the agent's name, in the shared registry, and makes a client of it, with its
 * token if that can be read. The gateway is called once, with a limit of two seconds; a published gateway that does not answer
 * is not used.
 *
 * The client keeps the address. A gateway that is attached again may have another port: then connect again.
 *
 * @throws ConnectFailed when no agent or several have the name, or the agent has no gateway that answers; it says which records
 * there are, the state of each, and what to do.
 * @throws TypeError when `agent` is no name, or `HOUMAO_GLOBAL_REGISTRY_DIR` a relative path.
 *
 * @example
 * ```ts
 * const client = await connect({ agent: 'alpha' });
 * console.log(await client.prompt('What is this project about?'));
 * ```
 */
export async function connect({
  agent,
  registryRoot: given,
  ...options
}: ConnectOptions): Promise<GatewayClient> {
  if (typeof agent !== 'string' || agent.trim() === '')
    throw new TypeError("agent must be an agent's name, for example { agent: 'alpha' }");
  const registry = await readRegistry(given === undefined ? registryRoot() : resolve(given), new Date());
  const choice = chooseAgent(agent, registry.records);
  if (choice.kind === 'none')
    throw new ConnectFailed(noSuchAgent(agent, registry, await lookAtAll(registry)));
  if (choice.kind === 'ambiguous') {
    const seen = await lookAtAll(registry);
    const meant = seen.filter(({ agentId }) => choice.records.some((record) => record.agentId === agentId));
    throw new ConnectFailed(ambiguousAgent(agent, registry, meant, seen));
  }
  const sight = await lookForGateway(choice.record);
  if (sight.state === 'serving')
    return createGatewayClient({ ...options, baseUrl: sight.baseUrl, token: sight.token ?? undefined });
  const itself = { ...seenAs(choice.record, sight), gateway: sight.state };
  throw new ConnectFailed(unreachedGateway(agent, registry, itself, await lookAtAll(registry)));
}

const lookAtAll = ({ records }: Registry): Promise<SeenAgent[]> =>
  Promise.all(records.map(async (record) => seenAs(record, await lookForGateway(record))));

const seenAs = (
  { agentName, agentId, sessionRoot, leaseExpired }: PublishedAgent,
  sight: GatewaySight,
): SeenAgent => ({
  agentName,
  agentId,
  sessionRoot,
  leaseExpired,
  gateway: sight.state,
  detail: 'detail' in sight ? sight.detail : null,
});
