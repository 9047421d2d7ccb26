import { join } from 'node:path';
import type { Clock } from '../foundation/clock.js';
import { absoluteVariable, homeFolder } from '../foundation/environment.js';
import { withoutMark } from '../foundation/marked-processes.js';
import type { ManagementCredential } from '../mail/jmap/provision/management-api.js';
import { registryRoot } from '../session/registry.js';
import { Tmux } from '../terminal/tmux.js';
import { takeManagement } from './mail-server.js';

/** The machine as launching, finding and stopping agents sees it. A program makes one and hands it on. */
export interface AgentHost {
  /** Where new sessions are made; absolute. */
  readonly runtimeRoot: string;
  /** Where agents are registered; absolute. */
  readonly registryRoot: string;
  /** The home of whoever launches. */
  readonly home: string;
  /** What agents and gateways are launched with: of an agent it reaches what check-launch lets through. */
  readonly environment: NodeJS.ProcessEnv;
  /** What makes accounts on a mail server; null where nothing does. It is in no environment. */
  readonly management: ManagementCredential | null;
  readonly tmux: Tmux;
  readonly clock: Clock;
}

/**
 * The host as an environment describes it. An agent may launch agents in its turns: these carry no mark of the turn, whose
 * end would end them too.
 * @throws {BadEnvironment} when a variable names a relative path, or holds a credential that cannot be one.
 */
export function agentHost(given: NodeJS.ProcessEnv, clock: Clock): AgentHost {
  const { management, rest: environment } = takeManagement(withoutMark(given));
  const home = homeFolder(environment);
  return {
    runtimeRoot:
      absoluteVariable(environment, 'HOUMAO_GLOBAL_RUNTIME_DIR') ?? join(home, '.houmao', 'runtime'),
    registryRoot: registryRoot(environment),
    home,
    environment,
    management,
    tmux: new Tmux({ environment }),
    clock,
  };
}

/** The environment of a gateway: with it, it finds the registry and the tmux server that this host means. */
export const gatewayEnvironment = (host: AgentHost): NodeJS.ProcessEnv => ({
  ...host.environment,
  ...host.tmux.environment,
  HOUMAO_GLOBAL_RUNTIME_DIR: host.runtimeRoot,
  HOUMAO_GLOBAL_REGISTRY_DIR: host.registryRoot,
});
