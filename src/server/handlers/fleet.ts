import type { FleetHandlers } from '../../../generated/managed-agent/server/fleet-handlers.js';
import type { components } from '../../../generated/managed-agent/types.js';
import { EventStream, quietSeconds, type ServerSentEvent } from '../../contract/event-stream.js';
import type { Reply, Sent } from '../../contract/handler-types.js';
import { errorCodeHeader } from '../../contract/refusals.js';
import type { CommandRecord } from '../../fleet/commands/command.js';
import type { FleetSession } from '../../fleet/engine/link.js';
import type { Cancelled, Fleet } from '../../fleet/fleet.js';
import type { FleetListQuery } from '../../fleet/hosts/agent-list.js';
import { toMicrosecondStamp } from '../../foundation/clock.js';
import { spokenName } from '../directory/agent-directory.js';
import { noSuchHost, offlineWords } from '../forwarding/fleet-words.js';
import type { ManagedAgentServer } from '../server.js';

type Page = components['schemas']['FleetEventPage'];

export const noFleet =
  'This server is in no fleet. `houmao-mgr fleet join` has it join one from its next start on.';
const coded = <Code extends string>(code: Code) => ({ [errorCodeHeader]: code });
export const unknownCommand = (id: string): string =>
  `The fleet has no command \`${id.slice(0, 100)}\`, or has it no more.`;

/** An operation that needs the fleet. */
interface InFleet {
  readonly responses: { readonly 404: unknown; readonly 503: unknown };
}
/** The fleet and its connection, or the answer that says why there is none. */
type Reached<Op> =
  | { readonly fleet: Fleet; readonly session: FleetSession; readonly refusal?: never }
  | { readonly refusal: Sent<Op> };

/** Returns the connection to the fleet, or the refusal where there is none now. */
export function reach<Op extends InFleet>(fleet: Fleet | null, reply: Reply<Op>): Reached<Op> {
  const refuse = refusing(reply);
  if (fleet === null) return { refusal: refuse(404, { detail: noFleet }, coded('no_fleet')) };
  const { session } = fleet;
  if (session !== null) return { fleet, session };
  return { refusal: refuse(503, { detail: offlineWords(fleet) }, coded('fleet_offline')) };
}

/** The answer where NATS breaks off while it is asked; the error is that of NATS, every other one is thrown. */
export async function unlessBrokenOff<Op extends InFleet>(
  fleet: Fleet,
  reply: Reply<Op>,
  work: () => Promise<Sent<Op>>,
): Promise<Sent<Op>> {
  try {
    return await work();
  } catch (error) {
    if (!fleet.isFault(error)) throw error;
    const detail = `The fleet did not answer (${error.message}); whether it did what was asked is not known. Ask again.`;
    return refusing(reply)(503, { detail }, coded('fleet_offline'));
  }
}

const refusing = <Op>(reply: Reply<Op>) =>
  reply as unknown as (
    status: 404 | 503,
    body: { detail: string },
    headers: Record<typeof errorCodeHeader, string>,
  ) => Sent<Op>;

export const fleetHandlers = ({ parts }: Pick<ManagedAgentServer, 'parts'>): FleetHandlers => {
  const { fleet } = parts;
  return {
    getFleet: (_context, reply) => reply(200, statusOf(fleet)),

    listFleetHosts: (_context, reply) =>
      fleet === null
        ? reply(404, { detail: noFleet })
        : reply(200, { schema_version: 1, hosts: hostsOf(fleet) }),

    listFleetEvents: async ({ query, headers, streams, signal }, reply) => {
      const reached = reach(fleet, reply);
      if (reached.refusal) return reached.refusal;
      const { events } = reached.fleet;
      const { limit = 50, wait_seconds: wait = 0 } = query;
      const page = async (after: string | undefined, waitSeconds: number) => {
        const found = await events.page(reached.session, { after, limit, waitSeconds, signal });
        // Another host may have a later release and words of its own, which pass.
        return { schema_version: 1, ...found } as Page;
      };
      return unlessBrokenOff(reached.fleet, reply, async () => {
        const first = await page(headers['Last-Event-ID'] ?? query.after, streams ? 0 : wait);
        if (!streams) return reply(200, first);
        // A stream that breaks off ends, and its reader comes again.
        const next = (before: Page) =>
          reached.session.ended.aborted ? Promise.resolve(null) : page(before.next_after, quietSeconds);
        return reply(200, EventStream.of(first, { next, eventsOf, signal }));
      });
    },

    listFleetCommands: async ({ query }, reply) => {
      const reached = reach(fleet, reply);
      if (reached.refusal) return reached.refusal;
      const { host, agent, state = 'waiting', limit = 50 } = query;
      return unlessBrokenOff(reached.fleet, reply, async () => {
        const asked = { host, agent, state, limit };
        const { commands, total } = await reached.fleet.listCommands(reached.session, asked);
        // A host that has left may still have some.
        if (total === 0 && host !== undefined && !(await reached.fleet.hasHost(reached.session, host)))
          return reply(404, { detail: noSuchHost(host, reached.fleet) }, coded('unknown_agent'));
        return reply(200, { schema_version: 1, commands: commands.map(toCommand), total });
      });
    },

    getFleetCommand: async ({ path, query, signal }, reply) => {
      const reached = reach(fleet, reply);
      if (reached.refusal) return reached.refusal;
      const { wait_until: until = 'delivered', wait_seconds: seconds = 0 } = query;
      const wanted = { until, seconds, signal };
      return unlessBrokenOff(reached.fleet, reply, async () => {
        const record = await reached.fleet.commands.wait(reached.session, path.command_id, wanted);
        return record
          ? reply(200, toCommand(record))
          : reply(404, { detail: unknownCommand(path.command_id) }, coded('unknown_command'));
      });
    },

    cancelFleetCommand: async ({ path, signal }, reply) => {
      const reached = reach(fleet, reply);
      if (reached.refusal) return reached.refusal;
      return unlessBrokenOff(reached.fleet, reply, async () => {
        const cancelled = await reached.fleet.cancel(reached.session, path.command_id, signal);
        if (cancelled === null)
          return reply(404, { detail: unknownCommand(path.command_id) }, coded('unknown_command'));
        const { record, refusal } = cancelled;
        if (record.state === 'cancelled') return reply(200, toCommand(record));
        const { status, detail } = notCancelled(record, refusal);
        return status === 409 ? reply(409, { detail }) : reply(503, { detail }, coded('host_away'));
      });
    },
  };
};

/** Pure: says why a command was not cancelled, as far as that is known. */
export function notCancelled(
  { command_id: id, host, state, request_id: request }: CommandRecord,
  refusal: Cancelled['refusal'],
): { status: 409 | 503; detail: string } {
  if (refusal !== null && 'status' in refusal) {
    const { detail } = refusal.body as { detail?: unknown };
    const why = typeof detail === 'string' ? detail : `it answered with status ${refusal.status}`;
    return { status: refusal.status < 500 ? 409 : 503, detail: `Host ${host} did not cancel it: ${why}` };
  }
  if (refusal !== null)
    return {
      status: 503,
      detail: `Host ${host} has command \`${id}\` as request \`${request}\` and does not answer now; whether it goes on is not known. Ask again.`,
    };
  return state === 'admitting'
    ? { status: 503, detail: `Host ${host} is taking command \`${id}\` now. Ask again.` }
    : { status: 409, detail: `Command \`${id}\` cannot be cancelled: it is ${state}.` };
}

/** How this host stands in its fleet. It waits for nothing. */
export const membershipOf = ({ state }: Fleet): components['schemas']['FleetMembership'] => ({
  state: state.kind,
  since_utc: toMicrosecondStamp(new Date(state.sinceMs)),
  detail: 'reason' in state ? state.reason : null,
});

function statusOf(fleet: Fleet | null): components['schemas']['FleetStatus'] {
  if (fleet === null)
    return {
      schema_version: 1,
      state: 'none',
      since_utc: null,
      detail: null,
      host: null,
      address: null,
      events_waiting: 0,
      commands_waiting: 0,
      mail_waiting: 0,
    };
  return {
    schema_version: 1,
    ...membershipOf(fleet),
    host: fleet.host,
    address: fleet.address,
    events_waiting: fleet.lag,
    commands_waiting: fleet.waitingCommands,
    mail_waiting: fleet.waitingMail,
  };
}

const hostsOf = (fleet: Fleet): components['schemas']['FleetHost'][] =>
  fleet.hosts.list().map(({ record, presence, heardAt, ageMilliseconds }) => ({
    host: record.host,
    presence: fleet.session === null ? 'unknown' : presence,
    heard_at_utc: toMicrosecondStamp(heardAt),
    seconds_ago: tenths(ageMilliseconds),
    address: record.address,
    release: record.release,
    joined_at_utc: record.joined_at_utc,
    started_at_utc: record.started_at_utc,
    is_this: record.host === fleet.host,
  }));

type Identity = components['schemas']['AgentIdentity'];
type Place = components['schemas']['AgentPlace'];

/**
 * Lists the agents of all hosts.
 * @param identities the agents of this host. @param overview how they stand
 */
export function fleetAgents(
  fleet: Fleet,
  identities: readonly Identity[],
  overview: readonly components['schemas']['AgentOverview'][],
  query: FleetListQuery,
): components['schemas']['AgentList'] {
  const lines = new Map(overview.map((line) => [line.tracked_agent_id, line]));
  const here = new Map(identities.map((identity) => [identity.tracked_agent_id, identity]));
  const own = identities.map((identity) => {
    const { tracked_agent_id, agent_name, agent_id, tool, transport } = identity;
    const { state = 'unknown', detail = null } = lines.get(tracked_agent_id) ?? {};
    return { tracked_agent_id, agent_name, agent_id, tool, transport, state, detail };
  });
  const { agents, next } = fleet.list(own, query);
  const known = new Map(
    [...new Set(agents.map(({ host }) => host))].map((host) => [host, fleet.knowledgeOf(host)]),
  );
  return {
    agents: agents.map(({ version: _, epoch: __, host, state, detail, ...names }) => {
      const { presence = 'unknown', heardAt = null, ageMilliseconds = null } = known.get(host) ?? {};
      const whole = host === fleet.host ? here.get(names.tracked_agent_id) : undefined;
      const place: Place = {
        host,
        reference: `${spokenName({ agentName: names.agent_name, trackedAgentId: names.tracked_agent_id })}@${host}`,
        presence,
        // A host with a later release may have a state of its own, which passes.
        state: state as Place['state'],
        detail,
        known_at_utc: heardAt && toMicrosecondStamp(heardAt),
        seconds_ago: ageMilliseconds === null ? null : tenths(ageMilliseconds),
      };
      return { ...(whole ?? { ...nowhere, ...names }), place };
    }),
    ...(next !== undefined && { next_cursor: next }),
  };
}

/** The parts of an identity that mean something on the agent's own host alone. */
const nowhere = {
  session_name: null,
  terminal_id: null,
  runtime_session_id: null,
  tmux_session_name: null,
  tmux_window_name: null,
  manifest_path: null,
  session_root: null,
} as const;

const tenths = (milliseconds: number): number => Math.round(milliseconds / 100) / 10;

/** The record of a command, in the form of the contract. */
export const toCommand = (record: CommandRecord): components['schemas']['FleetCommand'] => ({
  schema_version: 1,
  command_id: record.command_id,
  host: record.host,
  agent_ref: record.agent_ref,
  prompt_preview: record.prompt_preview ?? null,
  // A host with a later release may have a state of its own, which passes.
  state: record.state,
  accepted_at_utc: record.accepted_at_utc,
  deadline_at_utc: record.deadline_at_utc,
  admitted_at_utc: record.admitted_at_utc,
  request_id: record.request_id,
  delivered_at_utc: record.delivered_at_utc,
  ended_at_utc: record.ended_at_utc,
  detail: record.detail,
});

const eventsOf = ({ events }: Page): ServerSentEvent[] =>
  events.map((data) => ({ id: data.id, event: data.event?.kind ?? 'gap', data }));
