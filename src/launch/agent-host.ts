import { join } from 'node:path';
import type { Clock } from '../foundation/clock.js';
import { absoluteVariable, homeFolder } from '../foundation/environment.js';
import { withoutMark } from '../foundation/marked-processes.js';
import type { ManagementCredential } from '../mail/jmap/provision/management-api.js';
import { registryRoot } from '../session/registry.js';
import { Tmux } from '../terminal/tmux.js';
import { takeManagement } from './mail-server.js';

/** The machine on which agents are launched, found and stopped. A program makes one and passes it on. */
export interface AgentHost {
  /** The folder for new sessions; absolute. */
  readonly runtimeRoot: string;
  /** The folder of the registry of agents; absolute. */
  readonly registryRoot: string;
  /** The home of the user who launches. */
  readonly home: string;
  /** The environment with which gateways are launched; an agent gets only the variables that check-launch allows. */
  readonly environment: NodeJS.ProcessEnv;
  /** The credential that makes accounts on a mail server; null if there is none. It is not part of `environment`. */
  readonly management: ManagementCredential | null;
  readonly tmux: Tmux;
  readonly clock: Clock;
}

/**
 * Reads the host from an environment. An agent may launch agents in its turns: these get no mark of the turn, whose end would end
 * them too.
 * @throws {BadEnvironment} if a variable names a relative path, or holds an invalid credential.
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

/** Returns the environment of a gateway, with which it finds the registry and the tmux server of this host. */
export const gatewayEnvironment = (host: AgentHost): NodeJS.ProcessEnv => ({
  ...host.environment,
  ...host.tmux.environment,
  HOUMAO_GLOBAL_RUNTIME_DIR: host.runtimeRoot,
  HOUMAO_GLOBAL_REGISTRY_DIR: host.registryRoot,
});
