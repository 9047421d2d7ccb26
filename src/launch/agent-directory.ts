import { existsSync } from 'node:fs';
import type { UnusableFile } from '../foundation/faults.js';
import { isFresh, listRecords, readRecord } from '../session/registry.js';
import type { RegistryRecord } from '../session/registry-record.js';
import { type SessionPaths, sessionPaths } from '../session/session-paths.js';
import type { AgentHost } from './agent-host.js';
import { agentIdOf, canonicalName, unprefixedName } from './agent-name.js';
import { LaunchRefused } from './launch-fault.js';

/** An agent of this host, as its registry record describes it; its session need not exist any more. */
export interface RegisteredAgent {
  /** The name in every file and answer: `HOUMAO-alpha`. Sentences use its `unprefixedName`. */
  name: string;
  record: RegistryRecord;
  paths: SessionPaths;
}

/** No agent is registered under that name. */
export class NoSuchAgent extends Error {
  override readonly name = 'NoSuchAgent';
  readonly asked: string;
  /** The names of all agents without prefix, sorted. */
  readonly known: readonly string[];

  constructor(asked: string, known: readonly string[]) {
    super(`No agent is named ${asked}.`);
    this.asked = asked;
    this.known = known;
  }
}

/** Several agents have that name: another program may register a name that is taken here. */
export class AmbiguousName extends Error {
  override readonly name = 'AmbiguousName';

  constructor(asked: string, agents: readonly RegisteredAgent[]) {
    const ids = agents.map(({ record, paths }) => `${record.agent_id} (${paths.root})`).sort();
    super(`${agents.length} agents are named ${asked}: ${ids.join(', ')}. Name one of them by its id.`);
  }
}

export function toFound(record: RegistryRecord): RegisteredAgent {
  const root = record.runtime.session_root ?? record.runtime.manifest_path.replace(/\/manifest\.json$/, '');
  return { name: record.agent_name, record, paths: sessionPaths(root) };
}

/** Lists every agent whose record is readable, and the records that are not. */
export function listAgents(host: Pick<AgentHost, 'registryRoot'>): {
  agents: RegisteredAgent[];
  unusable: UnusableFile[];
} {
  const unusable: UnusableFile[] = [];
  const records = listRecords(host.registryRoot, (fault) => unusable.push(fault));
  return { agents: records.map(toFound), unusable };
}

/**
 * Finds an agent by name or id. `alpha` and `HOUMAO-alpha` are the same name: the older implementation registers either.
 * @throws {NoSuchAgent}
 * @throws {AmbiguousName}
 * @throws {UnusableFile} if its record cannot be read.
 */
export function findAgent(name: string, host: Pick<AgentHost, 'registryRoot'>): RegisteredAgent {
  // This throws if the record cannot be read; the list below leaves such a record out.
  readRecord(host.registryRoot, agentIdOf(name));
  const { agents } = listAgents(host);
  const [found, ...others] = meantBy(name, agents);
  if (!found) throw new NoSuchAgent(name, agents.map(({ name }) => unprefixedName(name)).sort());
  if (others.length > 0) throw new AmbiguousName(name, [found, ...others]);
  return found;
}

function meantBy(name: string, agents: readonly RegisteredAgent[]): RegisteredAgent[] {
  const byId = agents.filter(({ record }) => record.agent_id === name);
  if (byId.length > 0) return byId;
  const canonical = canonicalName(name);
  const exact = agents.filter((agent) => name === canonical && agent.name === canonical);
  return exact.length > 0 ? exact : agents.filter((agent) => canonicalName(agent.name) === canonical);
}

/** Decides whether the session of a record still exists. */
export const hasSessionFiles = (agent: RegisteredAgent): boolean => existsSync(agent.paths.manifest);

/** @throws {LaunchRefused} if an agent with a fresh lease has the id. */
export function refuseTaken(agentId: string, { registryRoot, clock }: AgentHost): void {
  const record = readRecord(registryRoot, agentId);
  if (record) refuseFresh(record, clock.now());
}

/** @throws {LaunchRefused} if an agent with a fresh lease has the name, whatever its id is. */
export function refuseTakenName(name: string, host: AgentHost): void {
  refuseTaken(agentIdOf(name), host);
  for (const { record } of meantBy(name, listAgents(host).agents)) refuseFresh(record, host.clock.now());
}

function refuseFresh(record: RegistryRecord, now: Date): void {
  if (!isFresh(record, now)) return;
  const { agent_name, runtime } = record;
  throw new LaunchRefused({ code: 'name_taken', name: agent_name, manifestPath: runtime.manifest_path });
}
