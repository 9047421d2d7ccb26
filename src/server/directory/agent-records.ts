import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Static } from '@sinclair/typebox';
import { writeFileAtomic } from '../../foundation/atomic-file.js';
import { toJsonFile } from '../../foundation/json-text.js';
import { Closed, jsonFile, Nullable, Text } from '../../session/file-schema.js';

/** Decides whether a name is that of one folder and leads nowhere else; other programs choose names, too. */
export const isPlainName = (name: string): boolean =>
  name !== '' &&
  name === name.trim() &&
  name !== '.' &&
  name !== '..' &&
  Buffer.byteLength(name) <= 255 &&
  !/[/\\\0]/.test(name);

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
export type AuthorityRecord = Static<typeof authoritySchema>;

export const authorityFile = {
  name: 'authority.json',
  ...jsonFile(
    authoritySchema,
    'restore it, or stop the agent with houmao-mgr agents stop and delete its folder',
  ),
} as const;

/** @param managedAgents the folder of all authority records. */
export function writeAuthority(managedAgents: string, authority: AuthorityRecord): void {
  const path = join(managedAgents, authority.tracked_agent_id, authorityFile.name);
  writeFileAtomic(path, toJsonFile(authorityFile.check(path, authority)), { durable: true });
}

/**
 * Reads an authority record; null where there is none.
 * @throws {UnusableFile}
 */
export const readAuthority = (managedAgents: string, trackedAgentId: string): AuthorityRecord | null =>
  authorityFile.read(join(managedAgents, trackedAgentId, authorityFile.name));

/** Removes everything that the server keeps of an agent; its session stays. */
export function removeAuthority(managedAgents: string, trackedAgentId: string): void {
  if (isPlainName(trackedAgentId))
    rmSync(join(managedAgents, trackedAgentId), { recursive: true, force: true });
}

const RegistrationSchema = Closed({
  session_name: Text,
  tool: Text,
  terminal_id: Nullable(Text),
  observed_tool_version: Nullable(Text),
  manifest_path: Nullable(Text),
  session_root: Nullable(Text),
  agent_name: Nullable(Text),
  agent_id: Nullable(Text),
  tmux_session_name: Nullable(Text),
  tmux_window_name: Nullable(Text),
});
/** `sessions/<session_name>/registration.json`: a TUI agent that was registered with this server. */
export type Registration = Static<typeof RegistrationSchema>;

export const registrationFile = {
  name: 'registration.json',
  ...jsonFile(RegistrationSchema, 'delete it, and register the session again'),
} as const;

/** @param sessions the folder of all registrations. */
export function writeRegistration(sessions: string, registration: Registration): void {
  const path = join(sessions, registration.session_name, registrationFile.name);
  writeFileAtomic(path, toJsonFile(registrationFile.check(path, registration)), { durable: true });
}

export function removeRegistration(sessions: string, sessionName: string): void {
  if (isPlainName(sessionName)) rmSync(join(sessions, sessionName), { recursive: true, force: true });
}
