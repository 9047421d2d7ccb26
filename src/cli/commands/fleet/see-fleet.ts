import type { HoumaoClient, Schemas } from '@houmao/sdk/managed-agent';
import { splitReference } from '../../../foundation/host-name.js';
import type { AgentHost } from '../../../launch/agent-host.js';
import { isCallError, shownName } from '../../../protocols/agent-work.js';
import { type ServerFlag, serverFlagWords } from '../../flags/options.js';
import {
  type AgentFilters,
  isChosenState,
  isFiltered,
  noneLikeThat,
  standingWord,
} from '../../words/agent-standing.js';
import { callFailure } from '../../words/call-failure.js';
import { CommandFailure, exitCodes } from '../../words/command-failure.js';
import { eventLine, eventPaints } from '../../words/event-words.js';
import { commandTable, statusLines } from '../../words/fleet-words.js';
import { interruptible, type Output, table } from '../../words/terminal-output.js';
import { withWays } from '../../words/waiting-failure.js';
import { serverClient } from '../server/see-servers.js';

const noServer = 'A managed-agent server is what is in a fleet, and none runs here.';

/** Calls the server of a command, and reports its refusals as failures of the command. */
async function atServer(
  flags: ServerFlag,
  host: AgentHost,
  work: (client: HoumaoClient) => Promise<void>,
): Promise<void> {
  try {
    await work(await serverClient(flags, host, noServer));
  } catch (error) {
    throw isCallError(error) ? callFailure(error) : error;
  }
}

/** `fleet status`. */
export const showFleet = (flags: ServerFlag, host: AgentHost, output: Output): Promise<void> =>
  atServer(flags, host, async (client) => {
    const status = await client.getFleet();
    output.result(
      status,
      statusLines(status, output.time).map((line) => output.pastable(line)),
    );
  });

/** Says where a list is what was known before, since the server is not in its fleet now. */
async function noteAge(client: HoumaoClient, output: Output): Promise<void> {
  const status = await client.getFleet();
  if (status.state === 'none' || status.state === 'online') return;
  output.progress(`${statusLines(status, output.time)[0]} What follows was known before.`);
}

/** `fleet hosts`. */
export const listHosts = (flags: ServerFlag, host: AgentHost, output: Output): Promise<void> =>
  atServer(flags, host, async (client) => {
    await noteAge(client, output);
    const list = await client.listFleetHosts();
    const rows = list.hosts.map((one) => [
      one.host,
      one.presence,
      one.presence === 'online' ? '' : output.time(one.heard_at_utc),
      one.release,
      `${one.address}${one.is_this ? ' (this host)' : ''}`,
    ]);
    output.result(list, table([['HOST', 'STATE', 'LAST HEARD OF', 'VERSION', 'ADDRESS'], ...rows]));
  });

export interface CommandListFlags extends ServerFlag {
  all?: boolean;
  limit: number;
}

/** `fleet commands`: the prompts that wait for hosts, or with `--all` those of 30 days. @param name an agent such as `beta@ws2` */
export const listCommands = (
  name: string | undefined,
  { all, limit, ...flags }: CommandListFlags,
  host: AgentHost,
  output: Output,
): Promise<void> =>
  atServer(flags, host, async (client) => {
    const named = name === undefined ? null : splitReference(name);
    if (name !== undefined && named === null)
      throw new CommandFailure(
        `${name} names no host of the fleet. Write it as agent@host, such as beta@ws2.`,
        exitCodes.usage,
      );
    const query = { state: all ? 'all' : 'waiting', limit, ...(named ?? {}) } as const;
    const list = await client.listFleetCommands({ query });
    const of = name === undefined ? '' : ` for ${name}`;
    const more = list.total - list.commands.length;
    const lines = [
      ...commandTable(list.commands, output.time),
      ...(more > 0 ? [`${more} more; see them with --limit ${Math.min(list.total, mostCommands)}.`] : []),
    ];
    const empty = all ? `The fleet was given no prompt${of} within 30 days.` : `No prompt waits${of}.`;
    output.result(list, list.commands.length === 0 ? [empty] : lines);
  });

/** The most commands that a server lists at once. */
export const mostCommands = 200;

const agentPages = 200;

/** `agents list --fleet`. @returns how to show it, and a text that is equal where nothing has changed that a person would see. */
export async function lookAtFleet(
  flags: ServerFlag & AgentFilters,
  host: AgentHost,
  output: Output,
): Promise<{ key: string; show: () => void }> {
  const agents: Schemas['AgentIdentity'][] = [];
  await atServer(flags, host, async (client) => {
    await noteAge(client, output);
    const query = { scope: 'fleet', ...(flags.tool !== undefined && { tool: flags.tool }) } as const;
    for await (const agent of client.everyAgent({ ...query, pageSize: agentPages }))
      if (agent.place && isChosenState(standingWord(agent.place.state), flags.state)) agents.push(agent);
  });
  const rows = agents.flatMap(({ tool, place }) =>
    place === undefined
      ? []
      : [[place.reference, tool, standingWord(place.state), place.presence, asOf(place, output.time)]],
  );
  const empty = isFiltered(flags) ? noneLikeThat : 'No host of the fleet has an agent.';
  return {
    key: JSON.stringify(rows.map((row) => row.slice(0, 4))),
    show: () =>
      output.result(
        { agents },
        rows.length === 0 ? [empty] : table([['NAME', 'TOOL', 'STATE', 'HOST', 'AS OF'], ...rows]),
      ),
  };
}

/** Pure: since when nothing newer is known of an agent, where that is not just now. */
const asOf = (
  { presence, known_at_utc }: Pick<Schemas['AgentPlace'], 'presence' | 'known_at_utc'>,
  time: (iso: string) => string,
): string => (presence === 'online' ? 'now' : known_at_utc === null ? 'unknown' : time(known_at_utc));

export interface FleetEventFlags extends ServerFlag {
  follow?: boolean;
  after?: string;
}

type FleetEvent = Schemas['FleetEvent'];

const fleetEventLine = ({ host, agent_name, tracked_agent_id, event, gap }: FleetEvent): string =>
  event === null || tracked_agent_id === null
    ? `A gap: ${gap}`
    : `${shownName({ agent_name, tracked_agent_id })}@${host}  ${eventLine(event)}`;

const pageLength = 200;

/** `fleet events`: prints the events of all hosts, or with `--follow` those that come, from `--after` or from now on. */
export const showFleetEvents = (flags: FleetEventFlags, host: AgentHost, output: Output): Promise<void> =>
  atServer(flags, host, async (client) => {
    if (flags.follow) return followEvents(client, flags, output);
    const all: FleetEvent[] = [];
    let after = flags.after ?? '0';
    for (;;) {
      const { events, next_after } = await client.listFleetEvents({ query: { after, limit: pageLength } });
      all.push(...events);
      after = next_after;
      if (events.length === 0) break;
    }
    const lines = all.length === 0 ? ['No events.'] : all.map(fleetEventLine);
    output.result({ events: all, next_after: after }, lines, eventPaints);
  });

async function followEvents(client: HoumaoClient, flags: FleetEventFlags, output: Output): Promise<void> {
  await interruptible(async (signal) => {
    let after = flags.after ?? 'latest';
    const onSilence = (): void => output.progress('No answer from the server; still following.');
    const onUpdate = (position: { readonly after: string }): void => {
      after = position.after;
    };
    for await (const item of client.fleet.events({ after, signal, onSilence, onUpdate }))
      output.result(item, [fleetEventLine(item)], eventPaints);
    throw withWays(
      'Stopped following.',
      [['go on', `houmao-mgr fleet events --follow --after ${after}${serverFlagWords(flags)}`]],
      exitCodes.stopped,
    );
  });
}
