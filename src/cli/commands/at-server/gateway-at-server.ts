import { isHoumaoError, type Schemas } from '@houmao/sdk/managed-agent';
import { unprefixedName } from '../../../launch/agent-name.js';
import { callFailure } from '../../words/call-failure.js';
import { namedAs } from '../../words/command-failure.js';
import type { Output } from '../../words/terminal-output.js';
import type { AgentAtServer } from './agent-at-server.js';

/** The timeout of a call: a gateway starts within ten seconds; one that ends must first hand over its turn. */
const callMilliseconds = 60_000;

/** `agents gateway attach` through a managed-agent server. @param mode the execution mode; null leaves it to the server */
export async function attachAtServer(
  way: AgentAtServer,
  name: string,
  mode: NonNullable<Schemas['GatewayAttachRequest']['execution_mode']> | null,
  output: Output,
): Promise<void> {
  const { url, agent, identity } = way;
  output.progress(`Asking the server ${url} to start the gateway`);
  const body = mode === null ? {} : { execution_mode: mode };
  const { gateway_port } = await refusalsNamed(
    agent.gateway.attach({ body, timeoutMs: callMilliseconds }),
    way,
    name,
  );
  const { agent_name } = identity;
  output.result({ agent_name, server_url: url, gateway_port }, [
    `The gateway of ${unprefixedName(agent_name ?? name)} listens on port ${gateway_port} of its machine.`,
  ]);
}

/** `agents gateway detach` through a managed-agent server, under which a running turn continues. */
export async function detachAtServer(way: AgentAtServer, name: string, output: Output): Promise<void> {
  const { url, agent, identity } = way;
  const before = await refusalsNamed(agent.gateway.getStatus(), way, name);
  await refusalsNamed(agent.gateway.detach({ timeoutMs: callMilliseconds }), way, name);
  const stopped = before.gateway_health !== 'not_attached';
  const { agent_name } = identity;
  output.result({ agent_name, server_url: url, stopped }, [
    stopped
      ? `Stopped the gateway of ${unprefixedName(agent_name ?? name)}.`
      : `No gateway was running for ${unprefixedName(agent_name ?? name)}.`,
  ]);
}

async function refusalsNamed<T>(call: Promise<T>, { identity }: AgentAtServer, name: string): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw isHoumaoError(error) ? namedAs(callFailure(error), identity, name) : error;
  }
}
