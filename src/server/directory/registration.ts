import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Static } from '@sinclair/typebox';
import { writeFileAtomic } from '../../foundation/atomic-file.js';
import { toJsonFile } from '../../foundation/json-text.js';
import { Closed, jsonFile, Nullable, Text } from '../../session/file-schema.js';
import { isPlainName } from './plain-name.js';

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
/** `sessions/<session_name>/registration.json`: a TUI agent that somebody made known to this server. */
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
