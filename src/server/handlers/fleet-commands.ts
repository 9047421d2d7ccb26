import type { GatewayRequestsHandlers } from '../../../generated/managed-agent/server/gateway-requests-handlers.js';
import type { components } from '../../../generated/managed-agent/types.js';
import { ruleBroken } from '../../contract/broken-rules.js';
import { metadataOf } from '../../contract/prompt-metadata.js';
import { errorCodeHeader } from '../../contract/refusals.js';
import type { CommandRecord } from '../../fleet/commands/command.js';
import type { FleetSession } from '../../fleet/engine/link.js';
import type { Fleet } from '../../fleet/fleet.js';
import type { AgentPlace } from '../../fleet/hosts/agent-place.js';
import { isCommandId, splitReference } from '../../foundation/host-name.js';
import { pathOf } from '../forwarding/elsewhere.js';
import { callRefusal, noSuchHost, severalHosts } from '../forwarding/fleet-words.js';
import { forwardedHeaders } from '../forwarding/managed-location.js';
import type { ManagedAgentServer } from '../server.js';
import { reach, toCommand, unknownCommand, unlessBrokenOff } from './fleet.js';

type Submit = GatewayRequestsHandlers['submitGatewayRequest'];
type Read = GatewayRequestsHandlers['getGatewayRequest'];
type Cancel = GatewayRequestsHandlers['cancelGatewayRequest'];
type RequestRecord = components['schemas']['RequestRecord'];
type There = Extract<AgentPlace, { kind: 'there' }>;

/** The requests of gateways. */
type Requests = Pick<
  GatewayRequestsHandlers,
  'submitGatewayRequest' | 'getGatewayRequest' | 'cancelGatewayRequest'
>;

const code = <Code extends string>(name: Code) => ({ [errorCodeHeader]: name });

/**
 * Adds the fleet to the requests of gateways: a prompt for an agent of another host becomes a command, an interrupt is passed to that
 * host at once, and the id of a command is the name of its request, also before its host has taken it.
 * @param here answers for the agents of this host.
 */
export function withCommands(
  { directory, parts: { fleet, host } }: Pick<ManagedAgentServer, 'directory' | 'parts'>,
  here: Requests,
): Requests {
  // An agent of this host has the prompt at once, or not at all.
  const atOnce: Submit = (context, reply) => {
    const deadline = context.headers['X-Houmao-Deadline'];
    const now = fleet?.hosts.engineNow() ?? host.clock.now();
    const isPrompt = context.body.kind === 'submit_prompt';
    if (!isPrompt || deadline === undefined || Date.parse(deadline) > now.getTime())
      return here.submitGatewayRequest(context, reply);
    const broken = {
      ...ruleBroken('must not have passed; the agent was not given this prompt'),
      loc: ['header', 'x-houmao-deadline'],
      input: deadline,
    };
    return reply(422, { detail: [broken] });
  };
  if (fleet === null) return { ...here, submitGatewayRequest: atOnce };

  const submitGatewayRequest: Submit = async (context, reply) => {
    const { agent_ref: reference } = context.path;
    const isHere = (await directory.find(reference)).kind !== 'none';
    const place = fleet.placeOf(reference, isHere);
    if (place.kind === 'here') return atOnce(context, reply);
    if (place.kind === 'several')
      return reply(409, { detail: severalHosts(reference, place.references) }, code('ambiguous_agent'));
    const reached = reach(fleet, reply);
    if (reached.refusal) return reached.refusal;
    const { session } = reached;
    if (context.body.kind === 'submit_prompt')
      return unlessBrokenOff(fleet, reply, () => give(fleet, session, place, context, reply));
    const { body, signal } = context;
    const call = { method: 'POST', path: pathOf(place.reference, '/gateway/requests'), body, signal };
    return passed(fleet, session, place.host, { ...call, headers: context.headers }, reply);
  };

  const getGatewayRequest: Read = async (context, reply) => {
    const { request_id: id } = context.path;
    if (!isCommandId(id)) return here.getGatewayRequest(context, reply);
    const reached = reach(fleet, reply);
    if (reached.refusal) return reached.refusal;
    const { session } = reached;
    return unlessBrokenOff(fleet, reply, async () => {
      const begun = performance.now();
      const { signal, query } = context;
      const { wait_seconds: seconds = 0 } = query;
      const record = await fleet.commands.wait(session, id, { until: 'admitted', seconds, signal });
      if (record === null) return reply(404, { detail: unknownCommand(id) }, code('unknown_request'));
      if (record.request_id === null) return reply(200, waitingRecord(record, fleet));
      const left = Math.max(0, seconds - (performance.now() - begun) / 1000);
      const asked = new URLSearchParams({ ...query, wait_seconds: String(left) });
      return passed(
        fleet,
        session,
        record.host,
        { ...requestOf(record, `?${asked}`), method: 'GET', signal },
        reply,
      );
    });
  };

  const cancelGatewayRequest: Cancel = async (context, reply) => {
    const { request_id: id } = context.path;
    if (!isCommandId(id)) return here.cancelGatewayRequest(context, reply);
    const reached = reach(fleet, reply);
    if (reached.refusal) return reached.refusal;
    const { session } = reached;
    return unlessBrokenOff(fleet, reply, async () => {
      const { signal } = context;
      const record = await fleet.commands.cancel(session.commands, id);
      if (record === null) return reply(404, { detail: unknownCommand(id) }, code('unknown_request'));
      if (record.request_id !== null)
        return passed(
          fleet,
          session,
          record.host,
          { ...requestOf(record, ''), method: 'DELETE', signal },
          reply,
        );
      if (record.state === 'cancelled') return reply(200, waitingRecord(record, fleet));
      if (record.state === 'admitting')
        return reply(
          503,
          { detail: `Host ${record.host} is taking this prompt now. Ask again.` },
          code('host_away'),
        );
      return reply(
        409,
        { detail: `Request \`${id}\` cannot be cancelled: it is ${record.state}.` },
        code('request_not_waiting'),
      );
    });
  };
  return { submitGatewayRequest, getGatewayRequest, cancelGatewayRequest };
}

/** Gives a prompt to the fleet. */
async function give(
  fleet: Fleet,
  session: FleetSession,
  { host, reference }: There,
  { body, headers }: Parameters<Submit>[0],
  reply: Parameters<Submit>[1],
) {
  if (!(await fleet.hasHost(session, host)))
    return reply(404, { detail: noSuchHost(host, fleet) }, code('unknown_agent'));
  const deadline = headers['X-Houmao-Deadline'];
  const agentRef = splitReference(reference)?.agent ?? reference;
  const given = await fleet.commands.submit(session, {
    host,
    agentRef,
    epoch: fleet.agents.epochOf(host, agentRef),
    body,
    metadata: metadataOf(headers),
    key: headers['Idempotency-Key'] ?? null,
    deadlineAtUtc: deadline === undefined ? null : new Date(deadline).toISOString(),
  });
  if ('record' in given) {
    const { record } = given;
    const { command_id: request_id, accepted_at_utc } = record;
    const accepted = {
      request_id,
      request_kind: 'submit_prompt',
      state: 'accepted',
      accepted_at_utc,
    } as const;
    return reply(
      202,
      { ...accepted, command: toCommand(record) },
      {
        Location: pathOf(reference, `/gateway/requests/${request_id}`),
      },
    );
  }
  const { trouble, commandId, detail } = given;
  if (trouble === 'key_reused') return reply(422, { detail }, code('key_reused'));
  if (trouble === 'failed')
    return reply(
      503,
      { detail: `The fleet did not take the prompt: ${detail}. Nothing was sent.` },
      code('fleet_offline'),
    );
  const unknown = `The fleet did not answer (${detail}); whether it has the prompt is not known. GET /houmao/fleet/commands/${commandId} says so later.`;
  return reply(503, { detail: unknown }, { ...code('fleet_offline'), 'X-Houmao-Done': 'unknown' });
}

/** The request that a command became. */
const requestOf = ({ agent_ref, host, request_id }: CommandRecord, query: string) => ({
  path: pathOf(`${agent_ref}@${host}`, `/gateway/requests/${request_id}${query}`),
  headers: {},
  body: undefined,
});

interface PassedCall {
  readonly method: string;
  readonly path: string;
  readonly headers: object;
  readonly body: unknown;
  readonly signal: AbortSignal;
}

/** Passes a call to a host, this one included, and its answer to the caller: that host has checked it by the same contract. */
async function passed<Sent>(
  fleet: Fleet,
  session: FleetSession,
  host: string,
  { method, path, headers, body, signal }: PassedCall,
  reply: (...answer: never[]) => Sent,
): Promise<Sent> {
  const answer = reply as unknown as (status: number, body: unknown, headers: object) => Sent;
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const text = body === undefined ? '' : JSON.stringify(body);
  const call = {
    method,
    path,
    headers: { ...(text !== '' && { 'content-type': 'application/json' }), ...Object.fromEntries(given) },
    body: new TextEncoder().encode(text),
    signal,
  };
  const asked = await fleet.ask(session, host, call);
  const changes = method !== 'GET';
  if ('fault' in asked) {
    const { status, detail, headers } = await callRefusal(fleet, session, { ...asked, host, changes });
    return answer(status, { detail }, headers);
  }
  // That host names the agent as this call does.
  const { location } = asked.headers;
  const located = typeof location === 'string' ? { Location: location } : {};
  return answer(asked.status, asked.body, { ...forwardedHeaders(asked.headers, ''), ...located });
}

/** Pure: the request of a command that its host has not taken, and may never take. */
function waitingRecord(record: CommandRecord, fleet: Pick<Fleet, 'hosts'>): RequestRecord {
  const {
    command_id: request_id,
    state,
    accepted_at_utc,
    ended_at_utc: finished_at_utc,
    host,
    detail,
  } = record;
  const known = {
    schema_version: 1 as const,
    request_id,
    request_kind: 'submit_prompt' as const,
    accepted_at_utc,
    started_at_utc: null,
    finished_at_utc,
    managed_agent_instance_epoch: 0,
    queue_position: null,
    superseded_by: null,
    result: null,
    turn: null,
    prompt_preview: record.prompt_preview ?? null,
  };
  switch (state) {
    case 'cancelled':
      return { ...known, state: 'cancelled', waiting_reason: null, error: null };
    case 'refused': {
      const error = { code: 'not_admitted' as const, detail: `Host ${host} did not take it: ${detail}` };
      return { ...known, state: 'failed', waiting_reason: null, error };
    }
    case 'lapsed': {
      const error = { code: 'lapsed' as const, detail: `Its deadline passed before host ${host} took it.` };
      return { ...known, state: 'failed', waiting_reason: null, error };
    }
    default: {
      const isThere = fleet.hosts.find(host)?.presence === 'online';
      const why = detail ?? (isThere ? `host ${host} is taking it` : `host ${host} is not in the fleet now`);
      const waiting_reason = { code: 'unavailable' as const, detail: `The fleet keeps it: ${why}` };
      return { ...known, state: 'accepted', waiting_reason, error: null };
    }
  }
}
