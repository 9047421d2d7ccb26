import { existsSync } from 'node:fs';
import type { UnusableFile } from '../foundation/unusable-file.js';
import { isFresh, listRecords, readRecord } from '../session/registry.js';
import type { RegistryRecord } from '../session/registry-record.js';
import { type SessionPaths, sessionPaths } from '../session/session-paths.js';
import type { AgentHost } from './agent-host.js';
import { agentIdOf, canonicalName, unprefixedName } from './agent-name.js';
import { LaunchRefused } from './launch-fault.js';

/** An agent of this host as its registry record has it; whether its session still stands is another question. */
export interface FoundAgent {
  /** As every file and answer has it: `HOUMAO-alpha`. Sentences call it by its `unprefixedName`. */
  name: string;
  record: RegistryRecord;
  paths: SessionPaths;
}

/** Nobody is registered under that name. */
export class NoSuchAgent extends Error {
  override readonly name = 'NoSuchAgent';
  readonly asked: string;
  /** The names that people call them by, in order. */
  readonly known: readonly string[];

  constructor(asked: string, known: readonly string[]) {
    super(`No agent is named ${asked}.`);
    this.asked = asked;
    this.known = known;
  }
}

export function toFound(record: RegistryRecord): FoundAgent {
  const root = record.runtime.session_root ?? record.runtime.manifest_path.replace(/\/manifest\.json$/, '');
  return { name: record.agent_name, record, paths: sessionPaths(root) };
}

/** Every agent whose record can be read, and the records that cannot be. */
export function listAgents(host: Pick<AgentHost, 'registryRoot'>): {
  agents: FoundAgent[];
  unusable: UnusableFile[];
} {
  const unusable: UnusableFile[] = [];
  const records = listRecords(host.registryRoot, (fault) => unusable.push(fault));
  return { agents: records.map(toFound), unusable };
}

/**
 * Finds an agent by name (`alpha` or `HOUMAO-alpha`) or id.
 * @throws {NoSuchAgent}
 * @throws {UnusableFile} when its record cannot be read.
 */
export function findAgent(name: string, host: Pick<AgentHost, 'registryRoot'>): FoundAgent {
  const record = readRecord(host.registryRoot, agentIdOf(name));
  if (record) return toFound(record);
  const { agents } = listAgents(host);
  const wanted = canonicalName(name);
  const found = agents.find((agent) => agent.record.agent_id === name || agent.name === wanted);
  if (found) return found;
  throw new NoSuchAgent(name, agents.map(({ name }) => unprefixedName(name)).sort());
}

/** Whether there is still a session behind a record. */
export const hasSessionFiles = (agent: FoundAgent): boolean => existsSync(agent.paths.manifest);

/** @throws {LaunchRefused} when an agent with a fresh lease has the id. */
export function refuseTaken(agentId: string, { registryRoot, clock }: AgentHost): void {
  const record = readRecord(registryRoot, agentId);
  if (!record || !isFresh(record, clock.now())) return;
  const { agent_name, runtime } = record;
  throw new LaunchRefused({ code: 'name_taken', name: agent_name, manifestPath: runtime.manifest_path });
}
