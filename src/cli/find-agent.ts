import { existsSync } from 'node:fs';
import { agentIdOf, canonicalName } from '../launch/agent-name.js';
import { liveGateway, urlOf } from '../launch/live-gateway.js';
import { listRecords, type RegistryRecord, readRecord, registryRoot } from '../session/registry.js';
import { type SessionPaths, sessionPaths } from '../session/session-paths.js';
import { CommandFailure } from './terminal-output.js';

export interface FoundAgent {
  name: string;
  record: RegistryRecord;
  paths: SessionPaths;
}

export function toFound(record: RegistryRecord): FoundAgent {
  const root = record.runtime.session_root ?? record.runtime.manifest_path.replace(/\/manifest\.json$/, '');
  return { name: record.agent_name, record, paths: sessionPaths(root) };
}

/** Finds an agent by name (`alpha` or `HOUMAO-alpha`) or id. @throws {CommandFailure} naming the agents there are. */
export function findAgent(name: string, environment: NodeJS.ProcessEnv): FoundAgent {
  const root = registryRoot(environment);
  const all = listRecords(root, () => undefined);
  const wanted = canonicalName(name);
  const record =
    readRecord(root, agentIdOf(name)) ??
    all.find((one) => one.agent_id === name || one.agent_name === wanted);
  if (!record) {
    const known = all.map((one) => one.agent_name).sort();
    throw new CommandFailure(
      `There is no agent ${name}. ${known.length ? `Agents: ${known.join(', ')}` : 'Launch one with: houmao-mgr agents launch'}`,
    );
  }
  const found = toFound(record);
  if (!existsSync(found.paths.manifest)) {
    throw new CommandFailure(
      `The session of ${record.agent_name} is gone (${found.paths.manifest}); forget it with: houmao-mgr agents stop ${name}`,
    );
  }
  return found;
}

/** The address of an agent's gateway. @throws {CommandFailure} when none answers. */
export async function requireGateway(agent: FoundAgent): Promise<string> {
  const instance = await liveGateway(agent.paths);
  if (!instance) {
    throw new CommandFailure(
      `No gateway answers for ${agent.name}; start one with: houmao-mgr agents gateway attach ${agent.name}`,
    );
  }
  return urlOf(instance);
}
