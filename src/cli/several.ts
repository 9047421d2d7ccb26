import { listed } from '../foundation/text.js';
import type { AgentHost } from '../launch/agent-host.js';
import { unprefixedName } from '../launch/agent-name.js';
import { agentsAt } from './commands/at-server/agent-at-server.js';
import { agentNames } from './commands/find-agent.js';
import { failureOf } from './failures.js';
import type { ServerFlag } from './flags/options.js';
import { CommandFailure, exitCodes, failureObject } from './words/command-failure.js';
import { type Output, OutputOfOne } from './words/terminal-output.js';

/** The agents that a command is for: the named ones, or all of this host. */
export interface ChosenAgents extends ServerFlag {
  readonly names: readonly string[];
  readonly all?: boolean;
}

/** The result of a command for one of several agents. */
interface Ended {
  readonly name: string;
  readonly results: readonly object[];
  readonly failure: CommandFailure | null;
}

/**
 * Does a command for each of the chosen agents. For one named agent its output is that of the command alone; for several, people see
 * whose each line is, and programs get one object with a result per agent. A failure for one agent stops no other.
 *
 * @param atOnce do it for all at the same time: for what waits for agents
 * @throws {CommandFailure} with the exit code of the first failure, when it failed for any of several
 */
export async function forEachAgent(
  { names, all = false, ...flags }: ChosenAgents,
  host: AgentHost,
  output: Output,
  act: (name: string, output: Output) => Promise<void>,
  atOnce = false,
): Promise<void> {
  if (all && names.length > 0)
    throw new CommandFailure('Name agents or use --all, not both.', exitCodes.usage);
  const chosen = [...new Set(all ? await allNames(flags, host) : names)];
  const [only, ...others] = chosen;
  if (only === undefined) return nothingToDo(all, await allNames(flags, host), output);
  if (!all && others.length === 0) return act(only, output);
  const begun: Promise<Ended>[] = [];
  for (const name of chosen) {
    begun.push(endedOf(name, output, act));
    if (!atOnce) await begun.at(-1);
  }
  const ended = await Promise.all(begun);
  const failed = ended.filter(({ failure }) => failure !== null);
  output.object({ agents: ended.map(toJson) });
  const [first] = failed;
  if (first?.failure)
    throw new CommandFailure(
      `It failed for ${failed.length} of ${ended.length} agents: ${failed.map(({ name }) => name).join(', ')}.`,
      first.failure.exitCode,
      { errorCode: 'failed_for_some' },
    );
}

/** Returns the names of all agents of the server that the flags name, or of this host. */
async function allNames(flags: ServerFlag, host: AgentHost): Promise<string[]> {
  if (flags.server === undefined) return agentNames(host);
  const agents = await agentsAt(flags.server, flags);
  return agents.map(({ identity: { agent_name: name, tracked_agent_id: id } }) =>
    name === null ? id : unprefixedName(name),
  );
}

function nothingToDo(all: boolean, known: readonly string[], output: Output): void {
  if (!all)
    throw new CommandFailure('Name at least one agent, or use --all.', exitCodes.usage, {
      hint: known.length === 0 ? null : `Agents: ${listed(known)}`,
    });
  output.result({ agents: [] }, ['No agents.']);
}

async function endedOf(
  name: string,
  output: Output,
  act: (name: string, output: Output) => Promise<void>,
): Promise<Ended> {
  const own = new OutputOfOne(name, output);
  try {
    await act(name, own);
    return { name, results: own.results, failure: null };
  } catch (error) {
    const failure = failureOf(error);
    output.progress(`${name}: ${failure.message}`);
    return { name, results: own.results, failure };
  }
}

const toJson = ({ name, results, failure }: Ended): object => ({
  name,
  success: failure === null,
  result: results.at(-1) ?? null,
  failure: failure === null ? null : failureObject(failure, (text) => text),
});
