import { systemClock } from '../foundation/clock.js';
import { type AgentHost, agentHost } from '../launch/agent-host.js';
import type { TopTerminal } from './commands/top.js';
import { type Config, configPath, readConfig } from './config/config-file.js';
import type { JsonFlag } from './flags/options.js';
import { type CommandSurroundings, Output } from './words/terminal-output.js';

/** The caller of the program, as its entry point found it. The code below reads nothing from the process itself. */
export interface CommandCaller {
  readonly environment: NodeJS.ProcessEnv;
  /** The agent host of this machine, made when a command needs it, so that the command reports a faulty environment. */
  host(): AgentHost;
  /** The content of config.yaml, read when a command needs it. @throws {UnusableFile} */
  config(): Config;
  output(flags: JsonFlag): Output;
  readonly terminal: TopTerminal;
}

export const callerOf = (
  environment: NodeJS.ProcessEnv,
  surroundings: CommandSurroundings,
): CommandCaller => ({
  environment,
  host: () => agentHost(environment, systemClock),
  config: () => readConfig(configPath(environment)),
  output: ({ json = false }) => new Output(json, surroundings),
  terminal: { input: process.stdin, output: process.stdout, isColoured: surroundings.isColoured },
});
