import { systemClock } from '../foundation/clock.js';
import { type AgentHost, agentHost } from '../launch/agent-host.js';
import type { JsonFlag } from './flags/options.js';
import { Output, type Surroundings } from './words/terminal-output.js';

/** Whoever called the program, as its entry found them: nothing below looks at the process. */
export interface Caller {
  readonly environment: NodeJS.ProcessEnv;
  /** This host, made when a command needs it: what is wrong with the environment is told by the command. */
  host(): AgentHost;
  output(flags: JsonFlag): Output;
}

export const callerOf = (environment: NodeJS.ProcessEnv, surroundings: Surroundings): Caller => ({
  environment,
  host: () => agentHost(environment, systemClock),
  output: ({ json = false }) => new Output(json, surroundings),
});
