import { rmSync } from 'node:fs';
import { toSecondStamp } from '../../foundation/clock.js';
import type { AgentHost } from '../../launch/agent-host.js';
import type { RequestedBrainLaunch } from '../../launch/brain/brain-launch.js';
import { checkBrainLaunch } from '../../launch/brain/check-brain-launch.js';
import { createSession, sessionRoot } from '../../launch/create-session.js';
import { LaunchFault } from '../../launch/launch-fault.js';
import type { LaunchRequest } from '../../launch/launch-request.js';
import { backendOf } from '../../launch/new-manifest.js';
import { endAgent } from '../../launch/stop-agent.js';
import type { Manifest } from '../../session/manifest-schema.js';
import { type SessionPaths, sessionPaths } from '../../session/session-paths.js';
import type { AgentDirectory } from '../directory/agent-directory.js';
import {
  type AuthorityRecord,
  readAuthority,
  removeAuthority,
  writeAuthority,
} from '../directory/agent-records.js';
import type { ServerPaths } from '../directory/server-paths.js';
import { toStoppable } from './agent-stops.js';
import { digestOf, type LaunchRecord, LaunchRecords } from './launch-record.js';

export interface LaunchParts {
  host: AgentHost;
  paths: ServerPaths;
  directory: AgentDirectory;
  /** The address at which this server is reached. */
  apiBaseUrl: string;
  /** Called with faults that are not shown to callers. */
  report(fault: string): void;
}

/** The key of a call that may be repeated, and the content of the call. */
export interface LaunchKey {
  key: string;
  body: string;
}

/** The error of a key that came before with another body. Nothing was done. */
export class KeyTaken extends Error {
  override readonly name = 'KeyTaken';
}

/** An agent that was launched; `replayed` when an earlier call with the same key did it. */
export interface LaunchedAgent {
  authority: AuthorityRecord;
  replayed: boolean;
}

/**
 * The launches of headless agents. Each launch has a record before anything is made, so that the next start undoes or
 * finishes what a crash cut off.
 */
export class AgentLaunches {
  readonly #parts: LaunchParts;
  readonly #records: LaunchRecords;
  readonly #underWay = new Map<string, { body: string; launch: Promise<AuthorityRecord> }>();

  constructor(parts: LaunchParts) {
    this.#parts = parts;
    this.#records = new LaunchRecords(parts.paths.launches);
  }

  /** Settles launches that an earlier server left unfinished. Call it before the first call of {@link AgentLaunches.launch}. */
  async start(): Promise<void> {
    const { host, report } = this.#parts;
    for (const record of this.#records.load(host.clock.now(), report))
      await this.#settle(record).catch((error: Error) =>
        report(
          `the launch of ${record.tracked_agent_id} was interrupted, and could not be undone: ${error.message}`,
        ),
      );
  }

  /**
   * @param key null for a call that is never repeated.
   * @throws {BrainLaunchRefused} for a fault in the request, {@link KeyTaken}; nothing was done.
   * @throws {LaunchFault} or {TmuxFault} for a refusal of the machine; what was made is removed again.
   */
  async launch(requested: RequestedBrainLaunch, key: LaunchKey | null): Promise<LaunchedAgent> {
    if (key === null) return { authority: await this.#launch(requested, null), replayed: false };
    const [keyDigest, body] = [digestOf(key.key), digestOf(key.body)];
    const before = this.#records.byKey(keyDigest);
    const goesOn = this.#underWay.get(keyDigest);
    if ((before && before.body_digest !== body) || (goesOn && goesOn.body !== body)) throw new KeyTaken();
    if (before?.authority) return { authority: before.authority, replayed: true };
    if (goesOn) return { authority: await goesOn.launch, replayed: true };
    const launch = this.#launch(requested, { key_digest: keyDigest, body_digest: body });
    this.#underWay.set(keyDigest, { body, launch });
    try {
      return { authority: await launch, replayed: false };
    } finally {
      this.#underWay.delete(keyDigest);
    }
  }

  async #launch(
    requested: RequestedBrainLaunch,
    key: Pick<LaunchRecord, 'key_digest' | 'body_digest'> | null,
  ): Promise<AuthorityRecord> {
    const { host, paths, directory, apiBaseUrl } = this.#parts;
    const request = checkBrainLaunch(requested, apiBaseUrl, host);
    const record = begun(request, key, host);
    this.#records.write(record);
    let authority: AuthorityRecord | null = null;
    try {
      await createSession(request, host, (manifest, session) => {
        authority = authorityOf(manifest, session, host.clock.now());
        writeAuthority(paths.managedAgents, authority);
      });
    } catch (error) {
      this.#forget(record);
      throw ofThisHost(error);
    }
    if (authority === null) throw new Error('A session was made without its last step.');
    this.#done(record, authority);
    await directory.changed();
    return authority;
  }

  /**
   * Records the end of a launch; without a key it is never repeated, and its record goes. A record that cannot be kept
   * does not fail the launch.
   */
  #done(record: LaunchRecord, authority: AuthorityRecord): void {
    try {
      if (record.key_digest === null) this.#records.remove(record);
      else this.#records.write({ ...record, state: 'done', authority });
    } catch (error) {
      this.#parts.report(
        `${record.tracked_agent_id}: its launch could not be recorded: ${(error as Error).message}`,
      );
    }
  }

  /** Removes the records of a failed launch; the next start tries again where that fails. */
  #forget(record: LaunchRecord): void {
    const { paths, report } = this.#parts;
    try {
      removeAuthority(paths.managedAgents, record.tracked_agent_id);
      this.#records.remove(record);
    } catch (error) {
      report(
        `${record.tracked_agent_id}: the record of its launch cannot be removed: ${(error as Error).message}`,
      );
    }
  }

  /** Settles a launch that was cut off: with an authority record the agent exists, without one the launch is undone. */
  async #settle(record: LaunchRecord): Promise<void> {
    const { host, paths } = this.#parts;
    const authority = readAuthority(paths.managedAgents, record.tracked_agent_id);
    if (authority) return this.#done(record, authority);
    const session = sessionPaths(record.session_root);
    const unknown = { sessionName: null, terminalId: null, runtimeSessionId: null, tmuxWindowName: null };
    const agent = {
      ...({ trackedAgentId: record.tracked_agent_id, transport: 'headless', tool: '', ...unknown } as const),
      tmuxSessionName: null,
      manifestPath: session.manifest,
      sessionRoot: session.root,
      agentName: null,
      agentId: null,
    };
    await endAgent(toStoppable(agent, host), host);
    rmSync(session.root, { recursive: true, force: true });
    this.#records.remove(record);
  }
}

/** Converts an error of the file system to one without its path; returns any other error unchanged. */
function ofThisHost(error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (!(error instanceof Error) || !code || !syscall) return error;
  return new LaunchFault(`a file of the agent could not be written (${code}).`, { cause: error });
}

function begun(
  request: LaunchRequest,
  key: Pick<LaunchRecord, 'key_digest' | 'body_digest'> | null,
  host: AgentHost,
): LaunchRecord {
  const sessionId = request.managed?.sessionId ?? '';
  return {
    schema_version: 1,
    tracked_agent_id: sessionId,
    session_root: sessionRoot(host, backendOf(request), sessionId),
    begun_at_utc: host.clock.now().toISOString(),
    ...(key ?? { key_digest: null, body_digest: null }),
    state: 'begun',
    authority: null,
  };
}

function authorityOf(manifest: Manifest, paths: SessionPaths, now: Date): AuthorityRecord {
  const at = toSecondStamp(now);
  return {
    tracked_agent_id: manifest.runtime.session_id ?? '',
    backend: manifest.backend,
    tool: manifest.tool,
    manifest_path: paths.manifest,
    session_root: paths.root,
    tmux_session_name: manifest.tmux_session_name ?? '',
    agent_def_dir: manifest.runtime.agent_def_dir ?? null,
    agent_name: manifest.agent_name ?? null,
    agent_id: manifest.agent_id ?? null,
    created_at_utc: at,
    updated_at_utc: at,
  };
}
