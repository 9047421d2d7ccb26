import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Schemas } from '@houmao/sdk/managed-agent';
import type { AgentHost } from '../../../launch/agent-host.js';
import { type Config, changeConfig, configPath } from '../../config/config-file.js';
import { CommandFailure, exitCodes, type Remedy } from '../../words/command-failure.js';
import { waitingLines } from '../../words/fleet-words.js';
import type { Output } from '../../words/terminal-output.js';
import { clientAt, servingServers } from '../server/see-servers.js';

interface ConfigCaller {
  readonly environment: NodeJS.ProcessEnv;
  config(): Config;
}

export interface JoinFlags {
  credentials?: string;
  ca?: string;
  hostName?: string;
  replicas?: number;
}

const again = 'houmao-mgr server stop, then houmao-mgr server start';

/**
 * `fleet join`: has the server of this machine join a fleet from its next start on. The name that this host was given before stays.
 * @throws {CommandFailure} for a file that is not there
 */
export function joinFleet(url: string, flags: JoinFlags, caller: ConfigCaller, output: Output): void {
  const path = configPath(caller.environment);
  const hostName = flags.hostName ?? caller.config().fleet?.hostName ?? null;
  const given = {
    url,
    ...(flags.credentials !== undefined && {
      credentials: fileOf('--credentials', flags.credentials, makeKeys),
    }),
    ...(flags.ca !== undefined && { ca: fileOf('--ca', flags.ca) }),
    ...(hostName !== null && { 'host-name': hostName }),
    ...(flags.replicas !== undefined && { replicas: flags.replicas }),
  };
  changeConfig(path, (document) => document.set('fleet', given));
  const as = hostName === null ? '' : ` as ${hostName}`;
  output.result({ path, fleet: given }, [
    `The server of this machine joins the fleet at ${url}${as} when it starts (${path}).`,
    output.pastable(`One that runs does so after: ${again}`),
  ]);
}

const makeKeys: Remedy = ['make keys', 'houmao-mgr fleet credentials'];

function fileOf(flag: string, name: string, ...remedies: Remedy[]): string {
  const path = resolve(name);
  if (existsSync(path)) return path;
  throw new CommandFailure(`${flag} ${path} does not exist. Nothing was changed.`, exitCodes.usage, {
    remedies,
  });
}

/** `fleet leave`. @throws {CommandFailure} when this machine joins none. */
export async function leaveFleet(caller: ConfigCaller, host: AgentHost, output: Output): Promise<void> {
  const path = configPath(caller.environment);
  const { fleet } = caller.config();
  const memberships = await membershipsHere(host);
  if (fleet === null)
    throw new CommandFailure(`This machine joins no fleet (${path}).`, exitCodes.usage, {
      hint:
        memberships.length === 0
          ? null
          : 'Its server is in one until it is stopped, and started again without --fleet and HOUMAO_FLEET.',
    });
  const waiting = memberships.flatMap(waitingLines);
  changeConfig(path, (document) => void document.delete('fleet'));
  output.result({ path, fleet: null }, [
    `The server of this machine does not join the fleet at ${fleet.url} any more (${path}).`,
    output.pastable(`One that runs leaves after: ${again}`),
    ...waiting,
    ...(waiting.length === 0 ? [] : ['That is kept, and goes on when this host joins again.']),
  ]);
}

/** Returns how the servers of this machine that are in a fleet stand in it. */
async function membershipsHere(host: AgentHost): Promise<Schemas['FleetStatus'][]> {
  const seen = (await servingServers(host)).map((url) =>
    clientAt(url, {})
      .getFleet()
      .catch(() => null),
  );
  return (await Promise.all(seen)).flatMap((status) => (status?.host ? [status] : []));
}
