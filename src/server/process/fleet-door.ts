import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import { errorCodeHeader } from '../../contract/refusals.js';
import type { CallFault } from '../../fleet/calls/caller.js';
import type { GivenFile } from '../../fleet/engine/settings.js';
import type { Fleet, FleetParts } from '../../fleet/fleet.js';
import { BadEnvironment } from '../../foundation/environment.js';
import { UnusableFile } from '../../foundation/faults.js';
import {
  fleetUrlRule,
  fleetUrls,
  hostNamePattern,
  hostNameRule,
  isReplicaCount,
  replicaRule,
  usualHostName,
} from '../../foundation/host-name.js';
import { unreadable } from '../../foundation/system-fault.js';
import { HttpFault } from '../../http/answers/envelope.js';
import type { AnswerBeside, Elsewhere } from '../../http/surface.js';
import type { AgentDirectory, Resolution } from '../directory/agent-directory.js';
import { drives, pathOf, referenceIn } from '../forwarding/elsewhere.js';
import { callRefusal, heldWords, offlineWords, severalHosts } from '../forwarding/fleet-words.js';

/** The flags by which a server joins a fleet. */
export interface FleetOptions {
  fleet?: string[];
  fleetCredentials?: string;
  fleetCa?: string;
  fleetReplicas?: number;
  hostName?: string;
}

export function addFleetOptions(command: Command): void {
  command
    .option(
      '--fleet <url>',
      'join a fleet: the addresses of its NATS servers, with commas between (repeatable)',
      toUrls,
    )
    .option(
      '--fleet-credentials <file>',
      'the key of this host in the fleet: an nkey seed or a NATS .creds file',
    )
    .option('--fleet-ca <file>', 'certificates to trust for the NATS server, in place of the usual ones')
    .option(
      '--fleet-replicas <count>',
      'on how many NATS servers the fleet keeps what it has (default: 1)',
      toReplicas,
    )
    .option(
      '--host-name <name>',
      'the name of this host in the fleet (default: from the name of the machine)',
      toHost,
    );
}

function toUrls(text: string, all: string[] = []): string[] {
  const urls = fleetUrls(text);
  if (urls === null) throw new InvalidArgumentError(`It ${fleetUrlRule}.`);
  return [...all, ...urls];
}
function toReplicas(text: string): number {
  if (!isReplicaCount(Number(text))) throw new InvalidArgumentError(`It ${replicaRule}.`);
  return Number(text);
}
function toHost(text: string): string {
  if (!hostNamePattern.test(text)) throw new InvalidArgumentError(`It must have ${hostNameRule}.`);
  return text;
}

/**
 * Opens the fleet of a server; null without one. Its part of the program is loaded here, and only here.
 * @param environment has what the flags do not say: HOUMAO_FLEET (addresses, with commas between), HOUMAO_FLEET_CREDENTIALS,
 *   HOUMAO_FLEET_CA, HOUMAO_FLEET_REPLICAS, HOUMAO_HOST_NAME
 * @throws {UnusableFile} for credentials, certificates or a database that cannot be used
 * @throws {BadEnvironment}
 */
export async function openFleet(
  options: FleetOptions,
  environment: NodeJS.ProcessEnv,
  parts: Omit<FleetParts, 'settings'>,
): Promise<Fleet | null> {
  const {
    fleet: urls,
    fleetCredentials,
    fleetCa,
    fleetReplicas = 1,
    hostName,
  } = { ...fleetOf(environment), ...options };
  if (urls === undefined) return null;
  const { Fleet: Member } = await import('../../fleet/fleet.js');
  const credentials =
    fleetCredentials === undefined
      ? null
      : readGiven(fleetCredentials, 'make a key with `houmao-mgr fleet credentials`, or correct the path');
  const ca = fleetCa === undefined ? null : readGiven(fleetCa, 'correct the path');
  const host = hostName ?? usualHostName(hostname());
  const settings = { urls, host, credentials, ca, replicas: fleetReplicas };
  return Member.open({ ...parts, settings });
}

/** @throws {BadEnvironment} */
function fleetOf(environment: NodeJS.ProcessEnv): FleetOptions {
  const read = <Value>(name: string, parse: (text: string) => Value): Value | undefined => {
    const text = environment[name];
    if (text === undefined || text === '') return undefined;
    try {
      return parse(text);
    } catch (error) {
      throw new BadEnvironment(`${name} is ${JSON.stringify(text)}. ${(error as Error).message}`);
    }
  };
  const asIs = (text: string): string => text;
  const given = {
    fleet: read('HOUMAO_FLEET', (text) => toUrls(text)),
    fleetCredentials: read('HOUMAO_FLEET_CREDENTIALS', asIs),
    fleetCa: read('HOUMAO_FLEET_CA', asIs),
    fleetReplicas: read('HOUMAO_FLEET_REPLICAS', toReplicas),
    hostName: read('HOUMAO_HOST_NAME', toHost),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** @param remedy for a file that is not there */
function readGiven(path: string, remedy: string): GivenFile {
  try {
    return { path, text: readFileSync(path, 'utf8') };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new UnusableFile(path, 'it does not exist', remedy);
    throw unreadable(path, error);
  }
}

/** The operations on prompts that the fleet keeps for a host that is away: handlers/fleet-commands.ts has them. */
const keptForLater = (method: string, rest: string): boolean =>
  method === 'POST'
    ? rest.split('?', 1)[0] === '/gateway/requests'
    : rest.startsWith('/gateway/requests/fcmd-');

/** @throws {HttpFault} for an agent of this host that another one has. */
function refuseHeld(reference: string, found: Resolution, { leases }: Fleet): void {
  const lease = found.kind === 'one' ? leases.of(found.agent.trackedAgentId) : null;
  if (lease?.kind === 'theirs')
    throw new HttpFault(409, heldWords(reference, lease), { [errorCodeHeader]: 'held_elsewhere' });
}

/** Answers the calls for agents of other hosts, before this host looks for them. */
export const elsewhere =
  (fleet: Fleet, directory: AgentDirectory, bodyLimit: (path: string) => number): Elsewhere =>
  async (request) => {
    const found = referenceIn(request.originalUrl);
    if (found === null) return null;
    const { reference, rest } = found;
    const here = await directory.find(reference);
    if (drives(request.method, rest)) refuseHeld(reference, here, fleet);
    if (keptForLater(request.method, rest)) return null;
    const place = fleet.placeOf(reference, here.kind !== 'none');
    if (place.kind === 'here') return null;
    if (place.kind === 'several')
      throw new HttpFault(409, severalHosts(reference, place.references), {
        [errorCodeHeader]: 'ambiguous_agent',
      });
    const { host } = place;
    const answer: AnswerBeside = async (asked, response) => {
      const { passRequest, TooLarge } = await import('../../fleet/calls/pass-request.js');
      const { session } = fleet;
      if (session === null)
        throw new HttpFault(503, offlineWords(fleet), { [errorCodeHeader]: 'fleet_offline' });
      const path = pathOf(place.reference, rest);
      const signal = (response as unknown as { waitSignal: AbortSignal }).waitSignal;
      const longest = bodyLimit(asked.path);
      try {
        await passRequest(asked, response, { path, longest, signal }, (call) =>
          fleet.call(session, host, call),
        );
      } catch (error) {
        if (error instanceof TooLarge) throw new HttpFault(413, 'Content Too Large');
        if ((error as Error).name !== 'CallFault') throw error;
        const changes = asked.method !== 'GET' && asked.method !== 'HEAD';
        const refusal = await callRefusal(fleet, session, { fault: error as CallFault, host, changes });
        throw new HttpFault(refusal.status, refusal.detail, refusal.headers);
      }
    };
    return answer;
  };
