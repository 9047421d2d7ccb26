import { existsSync } from 'node:fs';
import { listAgents } from '../launch/agent-directory.js';
import type { AgentHost } from '../launch/agent-host.js';
import { unprefixedName } from '../launch/agent-name.js';
import { shownName } from '../protocols/agent-work.js';
import { type DayRange, lastDays } from '../turn/usage-days.js';
import { askQueue } from './commands/ask-queue.js';
import { launchExample } from './commands/find-agent.js';
import { clientAt } from './commands/server/see-servers.js';
import { failureOf } from './failures.js';
import type { ServerFlag } from './flags/options.js';
import { CommandFailure } from './words/command-failure.js';
import type { Output } from './words/terminal-output.js';
import { totalOf, type UsedByAgent, usageLines, usagePaints } from './words/usage-words.js';

export interface UsageFlags extends ServerFlag {
  /** The number of days that end today. */
  days: number;
}

/**
 * `agents usage`: what agents used, by day. Agents that cannot be read are named, and the others shown.
 * @param names none means all agents.
 */
export async function showUsage(
  names: readonly string[],
  flags: UsageFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const period = lastDays(flags.days, host.clock.now());
  const { agents, failure } =
    flags.server === undefined
      ? await usedHere(names, period, host, output)
      : { agents: await usedAtServer(names, period, flags.server, flags), failure: null };
  const total = totalOf(agents.flatMap(({ days }) => days ?? []));
  for (const { agent_name, detail } of agents)
    if (detail !== null) output.progress(`${agent_name}: ${detail}`);
  output.result(
    { ...period, agents, total },
    agents.length === 0
      ? [output.pastable(`No agent has a record of turns. Launch one: ${launchExample}`)]
      : usageLines(agents, period.from, period.to),
    usagePaints,
  );
  const unread = agents.filter(({ days }) => days === null).map(({ agent_name }) => agent_name);
  if (failure)
    throw new CommandFailure(
      `The usage of ${unread.length} of ${agents.length} agents is not known: ${unread.join(', ')}.`,
      failure.exitCode,
      { errorCode: 'failed_for_some' },
    );
}

/** Asks the gateway of each agent, or reads what it left. @throws the failure where only one agent was named. */
async function usedHere(
  names: readonly string[],
  { from, to }: DayRange,
  host: AgentHost,
  output: Output,
): Promise<{ agents: UsedByAgent[]; failure: CommandFailure | null }> {
  const agents: UsedByAgent[] = [];
  let failure: CommandFailure | null = null;
  for (const name of new Set(names.length > 0 ? names : agentsWithRecords(host)))
    try {
      await askQueue(name, {}, host, output, async (calls) => {
        const { days } = await calls.getUsage({ query: { from, to } });
        agents.push({ agent_name: name, days, detail: null });
      });
    } catch (error) {
      const found = failureOf(error);
      if (names.length === 1) throw found;
      failure ??= found;
      agents.push({ agent_name: name, days: null, detail: found.message });
    }
  return { agents, failure };
}

/** An agent that never had a gateway or a turn has no records. */
const agentsWithRecords = (host: AgentHost): string[] =>
  listAgents(host)
    .agents.filter(({ paths }) => existsSync(paths.queue))
    .map(({ name }) => unprefixedName(name))
    .sort();

async function usedAtServer(
  names: readonly string[],
  { from, to }: DayRange,
  server: string,
  flags: ServerFlag,
): Promise<UsedByAgent[]> {
  const client = clientAt(server, flags);
  try {
    const wanted = await Promise.all(names.map(async (name) => client.agent(name).getAgent()));
    const ids = new Set(wanted.map(({ tracked_agent_id }) => tracked_agent_id));
    const { agents } = await client.usage({ from, to });
    // The list of a server has the agents of its own host; those of other hosts are asked one by one.
    const here = new Set(agents.map(({ tracked_agent_id }) => tracked_agent_id));
    const elsewhere = names.filter((_name, at) => !here.has(wanted[at]?.tracked_agent_id ?? ''));
    return [
      ...agents
        .filter(({ tracked_agent_id }) => names.length === 0 || ids.has(tracked_agent_id))
        .map(({ days, detail, ...agent }) => ({ agent_name: shownName(agent), days, detail })),
      ...(await Promise.all(
        elsewhere.map(async (name) => {
          const { days } = await client.agent(name).gateway.getUsage({ query: { from, to } });
          return { agent_name: name, days, detail: null };
        }),
      )),
    ];
  } catch (error) {
    throw failureOf(error);
  }
}
