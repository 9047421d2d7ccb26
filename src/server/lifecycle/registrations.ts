import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { UnusableFile } from '../../foundation/faults.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { readManifest } from '../../session/manifest.js';
import { tmuxSocketOf } from '../../session/manifest-facts.js';
import type { Manifest } from '../../session/manifest-schema.js';
import { serverOf } from '../../terminal/tmux-servers.js';
import type { AgentDirectory } from '../directory/agent-directory.js';
import { isPlainName, type Registration, writeRegistration } from '../directory/agent-records.js';
import type { ServerPaths } from '../directory/server-paths.js';

/**
 * The reason why a session was not registered. Nothing was changed, unless the session ended just after its registration
 * was written.
 */
export type RegistrationTrouble =
  | { code: 'session_name' }
  /** tmux has no such session. */
  | { code: 'no_session'; tmuxSession: string }
  /** The session has another terminal than the one that was named. */
  | { code: 'no_terminal'; terminalId: string }
  | { code: 'field'; field: keyof Registration; rule: string };

export class RegistrationRefused extends Error {
  override readonly name = 'RegistrationRefused';
  readonly trouble: RegistrationTrouble;

  constructor(trouble: RegistrationTrouble) {
    super(`The registration was refused: ${trouble.code}.`);
    this.trouble = trouble;
  }
}

export interface RegistrationParts {
  host: Pick<AgentHost, 'tmux'>;
  paths: ServerPaths;
  directory: AgentDirectory;
}

/** The registration of agents in terminals that another program has started. */
export class Registrations {
  readonly #parts: RegistrationParts;

  constructor(parts: RegistrationParts) {
    this.#parts = parts;
  }

  /**
   * Registers a session. One that is registered again is overwritten.
   * @returns the id of its terminal.
   * @throws {RegistrationRefused}
   * @throws {TmuxFault} when it is unknown whether there is such a session.
   */
  async register(registration: Registration): Promise<string> {
    const { host, paths, directory } = this.#parts;
    if (!isPlainName(registration.session_name)) throw refused({ code: 'session_name' });
    const manifest = checkedManifest(registration);
    checkRoot(registration);
    const tmuxSession =
      registration.tmux_session_name ?? manifest?.tmux_session_name ?? registration.session_name;
    const socketPath = manifest && tmuxSocketOf(manifest);
    if (!(await serverOf(host.tmux, tmuxSession, socketPath === null ? null : { socketPath })))
      throw refused({ code: 'no_session', tmuxSession });
    this.#checkTerminal(registration, manifest);
    writeRegistration(paths.sessions, registration);
    await directory.changed();
    const listed = directory.list().find((agent) => isOf(agent, registration));
    // The session may have ended at this very moment.
    if (!listed?.terminalId) throw refused({ code: 'no_session', tmuxSession });
    return listed.terminalId;
  }

  #checkTerminal(registration: Registration, manifest: Manifest | null): void {
    const { terminal_id: terminalId } = registration;
    if (terminalId === null) return;
    const known = manifest?.interactive?.terminal_id ?? null;
    if (known !== null && known !== terminalId) throw refused({ code: 'no_terminal', terminalId });
    const holder = this.#parts.directory.byTerminal(terminalId);
    if (holder && !isOf(holder, registration))
      throw refused({
        code: 'field',
        field: 'terminal_id',
        rule: `is the terminal of ${holder.trackedAgentId}`,
      });
  }
}

const refused = (trouble: RegistrationTrouble): RegistrationRefused => new RegistrationRefused(trouble);

const fieldFault = (field: keyof Registration, rule: string): RegistrationRefused =>
  refused({ code: 'field', field, rule });

/** Decides whether an agent is the same session, registered before or listed by the registry. */
const isOf = (
  agent: { sessionName: string | null; tmuxSessionName: string | null },
  registration: Registration,
): boolean =>
  agent.sessionName === registration.session_name ||
  agent.tmuxSessionName === (registration.tmux_session_name ?? registration.session_name);

function checkedManifest(registration: Registration): Manifest | null {
  const { manifest_path: path } = registration;
  if (path === null) return null;
  if (!isAbsolute(path)) throw fieldFault('manifest_path', 'must be an absolute path');
  const manifest = manifestAt(path);
  if (manifest.headless) throw fieldFault('manifest_path', 'is that of a headless agent');
  if (manifest.tool !== registration.tool) throw fieldFault('tool', `is ${manifest.tool} in the manifest`);
  return manifest;
}

function manifestAt(path: string): Manifest {
  try {
    return readManifest(path);
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    throw fieldFault('manifest_path', `cannot be used: ${error.reason}`);
  }
}

function checkRoot({ session_root: root }: Registration): void {
  if (root === null) return;
  if (!isAbsolute(root)) throw fieldFault('session_root', 'must be an absolute path');
  const status = statSync(root, { throwIfNoEntry: false });
  if (!status?.isDirectory()) throw fieldFault('session_root', 'is not an existing folder');
}
