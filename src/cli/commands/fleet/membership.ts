import { resolve } from 'node:path';
import { type Config, changeConfig, configPath } from '../../config/config-file.js';
import { CommandFailure, exitCodes } from '../../words/command-failure.js';
import type { Output } from '../../words/terminal-output.js';

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

/** `fleet join`: has the server of this machine join a fleet from its next start on. */
export function joinFleet(url: string, flags: JoinFlags, caller: ConfigCaller, output: Output): void {
  const path = configPath(caller.environment);
  const given = {
    url,
    ...(flags.credentials !== undefined && { credentials: resolve(flags.credentials) }),
    ...(flags.ca !== undefined && { ca: resolve(flags.ca) }),
    ...(flags.hostName !== undefined && { 'host-name': flags.hostName }),
    ...(flags.replicas !== undefined && { replicas: flags.replicas }),
  };
  changeConfig(path, (document) => document.set('fleet', given));
  output.result({ path, fleet: given }, [
    `The server of this machine joins the fleet at ${url} when it starts (${path}).`,
    output.pastable(`One that runs does so after: ${again}`),
  ]);
}

/** `fleet leave`. @throws {CommandFailure} when this machine joins none. */
export function leaveFleet(caller: ConfigCaller, output: Output): void {
  const path = configPath(caller.environment);
  const { fleet } = caller.config();
  if (fleet === null) throw new CommandFailure(`This machine joins no fleet (${path}).`, exitCodes.usage);
  changeConfig(path, (document) => void document.delete('fleet'));
  output.result({ path, fleet: null }, [
    `The server of this machine does not join the fleet at ${fleet.url} any more (${path}).`,
    output.pastable(`One that runs leaves after: ${again}`),
  ]);
}
