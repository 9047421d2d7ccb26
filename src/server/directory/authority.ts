import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Static } from '@sinclair/typebox';
import { writeFileAtomic } from '../../foundation/atomic-file.js';
import { toJsonFile } from '../../foundation/json-text.js';
import { Closed, jsonFile, Nullable, Text } from '../../session/file-schema.js';
import { isPlainName } from './plain-name.js';

export const authoritySchema = Closed({
  tracked_agent_id: Text,
  backend: Text,
  tool: Text,
  manifest_path: Text,
  session_root: Text,
  tmux_session_name: Text,
  agent_def_dir: Nullable(Text),
  agent_name: Nullable(Text),
  agent_id: Nullable(Text),
  created_at_utc: Text,
  updated_at_utc: Text,
});
/** `state/managed_agents/<tracked_agent_id>/authority.json`: a headless agent that this server launched. */
export type Authority = Static<typeof authoritySchema>;

export const authorityFile = {
  name: 'authority.json',
  ...jsonFile(
    authoritySchema,
    'restore it, or stop the agent with houmao-mgr agents stop and delete its folder',
  ),
} as const;

/** @param managedAgents the folder of all authority records. */
export function writeAuthority(managedAgents: string, authority: Authority): void {
  const path = join(managedAgents, authority.tracked_agent_id, authorityFile.name);
  writeFileAtomic(path, toJsonFile(authorityFile.check(path, authority)), { durable: true });
}

/** Null where there is none. @throws {UnusableFile} */
export const readAuthority = (managedAgents: string, trackedAgentId: string): Authority | null =>
  authorityFile.read(join(managedAgents, trackedAgentId, authorityFile.name));

/** Takes away everything that the server keeps of an agent; its session stays. */
export function removeAuthority(managedAgents: string, trackedAgentId: string): void {
  if (isPlainName(trackedAgentId))
    rmSync(join(managedAgents, trackedAgentId), { recursive: true, force: true });
}
