import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import type { RegistryRecord } from '../../session/registry-record.js';
import type { AuthorityRecord, Registration } from './agent-records.js';
import type { ManifestIdentity } from './session-manifests.js';

// The agents of this host, as their sources show them.

/** An agent of this host, as the directory knows it. Unknown values are null. */
export interface ManagedAgent {
  /** A TUI agent's session name, a headless agent's runtime session id. */
  readonly trackedAgentId: string;
  readonly transport: 'tui' | 'headless';
  readonly tool: string;
  /** TUI only. */
  readonly sessionName: string | null;
  /** TUI only: 8 hexadecimal digits. */
  readonly terminalId: string | null;
  readonly runtimeSessionId: string | null;
  readonly tmuxSessionName: string | null;
  readonly tmuxWindowName: string | null;
  /** Absolute. */
  readonly manifestPath: string | null;
  /** Absolute. */
  readonly sessionRoot: string | null;
  readonly agentName: string | null;
  readonly agentId: string | null;
}

/** The sources of the agents of this host. */
export interface Sources {
  readonly registrations: readonly Registration[];
  readonly authorities: readonly AuthorityRecord[];
  /** The records whose lease has not ended. */
  readonly records: readonly RegistryRecord[];
  /** Returns null where there is no manifest that can be read. */
  readonly manifestOf: (path: string) => ManifestIdentity | null;
  readonly isAlive: (tmuxSessionName: string) => boolean;
}

/**
 * Returns one agent for each session, however many sources mention it, in the order in which they are listed. A TUI agent
 * is listed while its tmux session lives, a headless one while a record of it exists.
 */
export function managedAgents(sources: Sources): ManagedAgent[] {
  const newestFirst = [...sources.records].sort(
    (one, other) => Date.parse(other.published_at) - Date.parse(one.published_at),
  );
  const inTerminals = newestFirst.filter(({ identity }) => runsInTerminal(identity.backend));
  const terminals = new RegistryRecords(inTerminals);
  const headless = new RegistryRecords(
    newestFirst.filter(({ identity }) => !runsInTerminal(identity.backend)),
  );
  const registered = sources.registrations.flatMap((one) => fromRegistration(one, terminals, sources) ?? []);
  const launched = sources.authorities.map((one) => fromAuthority(one, headless, sources));
  const rest = [...terminals.rest(), ...headless.rest()];
  const others = rest.flatMap((record) => fromRecord(record, sources) ?? []);
  const all = new Map<string, ManagedAgent>();
  for (const agent of [...registered, ...launched, ...others]) {
    const key = `${agent.transport} ${agent.trackedAgentId}`;
    if (!all.has(key)) all.set(key, agent);
  }
  return inOrder([...all.values()]);
}

/** Sorts the agents as they are listed: by transport, then by tracked id, as plain strings. */
export const inOrder = (agents: readonly ManagedAgent[]): ManagedAgent[] => [...agents].sort(byPlace);

/** The place of an agent in the list, which it has whichever others come and go. */
export type ListPlace = Pick<ManagedAgent, 'transport' | 'trackedAgentId'>;

/** Compares two places of the list: negative where the first one comes before the other. */
export const byPlace = (one: ListPlace, other: ListPlace): number =>
  compare(one.transport, other.transport) || compare(one.trackedAgentId, other.trackedAgentId);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** The records of the registry, each about one agent. A record is taken out when a better source has its agent. */
class RegistryRecords {
  readonly #byManifest = new Map<string, RegistryRecord>();
  readonly #bySession = new Map<string, RegistryRecord>();
  readonly #left: Set<RegistryRecord>;

  constructor(records: readonly RegistryRecord[]) {
    this.#left = new Set(records);
    for (const record of [...records].reverse()) {
      this.#byManifest.set(record.runtime.manifest_path, record);
      this.#bySession.set(record.terminal.session_name, record);
    }
  }

  /** Takes out the record of a session, which is found by its manifest; without a known manifest, by its tmux session. */
  take(manifestPath: string | null, tmuxSessionName: string): RegistryRecord | null {
    const record =
      manifestPath === null ? this.#bySession.get(tmuxSessionName) : this.#byManifest.get(manifestPath);
    return record && this.#left.delete(record) ? record : null;
  }

  rest(): RegistryRecord[] {
    return [...this.#left];
  }
}

function fromRegistration(
  registration: Registration,
  registry: RegistryRecords,
  { manifestOf, isAlive }: Sources,
): ManagedAgent | null {
  const { session_name, manifest_path } = registration;
  const namedManifest = manifest_path === null ? null : manifestOf(manifest_path);
  const tmuxSessionName = registration.tmux_session_name ?? namedManifest?.tmuxSessionName ?? session_name;
  if (!isAlive(tmuxSessionName)) return null;
  const record = registry.take(manifest_path, tmuxSessionName);
  const manifestPath = manifest_path ?? record?.runtime.manifest_path ?? null;
  const manifest = namedManifest ?? (manifestPath === null ? null : manifestOf(manifestPath));
  return {
    trackedAgentId: session_name,
    transport: 'tui',
    tool: registration.tool,
    sessionName: session_name,
    terminalId: registration.terminal_id ?? terminalIdOf(manifest?.terminalId, tmuxSessionName),
    runtimeSessionId: manifest?.runtimeSessionId ?? null,
    tmuxSessionName,
    tmuxWindowName: registration.tmux_window_name ?? manifest?.tmuxWindowName ?? null,
    manifestPath,
    sessionRoot:
      registration.session_root ?? record?.runtime.session_root ?? (manifestPath && dirname(manifestPath)),
    agentName: registration.agent_name ?? record?.agent_name ?? manifest?.agentName ?? null,
    agentId: registration.agent_id ?? record?.agent_id ?? manifest?.agentId ?? null,
  };
}

function fromAuthority(
  authority: AuthorityRecord,
  registry: RegistryRecords,
  { manifestOf }: Sources,
): ManagedAgent {
  const { tracked_agent_id, manifest_path, tmux_session_name } = authority;
  const record = registry.take(manifest_path, tmux_session_name);
  return {
    trackedAgentId: tracked_agent_id,
    transport: 'headless',
    tool: authority.tool,
    sessionName: null,
    terminalId: null,
    runtimeSessionId: tracked_agent_id,
    tmuxSessionName: tmux_session_name,
    tmuxWindowName: manifestOf(manifest_path)?.tmuxWindowName ?? agentWindow,
    manifestPath: manifest_path,
    sessionRoot: authority.session_root,
    agentName: authority.agent_name ?? record?.agent_name ?? null,
    agentId: authority.agent_id ?? record?.agent_id ?? null,
  };
}

function fromRecord(record: RegistryRecord, { manifestOf, isAlive }: Sources): ManagedAgent | null {
  const { identity, runtime, terminal, agent_name, agent_id } = record;
  const manifest = manifestOf(runtime.manifest_path);
  const sessionRoot = runtime.session_root ?? dirname(runtime.manifest_path);
  const runtimeSessionId = manifest?.runtimeSessionId ?? null;
  const tui = runsInTerminal(identity.backend);
  if (tui && !isAlive(terminal.session_name)) return null;
  const common = {
    tool: identity.tool,
    tmuxSessionName: terminal.session_name,
    manifestPath: runtime.manifest_path,
    sessionRoot,
    agentName: agent_name,
    agentId: agent_id,
  };
  if (tui)
    return {
      ...common,
      trackedAgentId: terminal.session_name,
      transport: 'tui',
      sessionName: terminal.session_name,
      terminalId: terminalIdOf(manifest?.terminalId, terminal.session_name),
      runtimeSessionId,
      tmuxWindowName: manifest?.tmuxWindowName ?? null,
    };
  // The folder of a session is named by the session.
  const trackedAgentId = runtimeSessionId ?? basename(sessionRoot);
  return {
    ...common,
    trackedAgentId,
    transport: 'headless',
    sessionName: null,
    terminalId: null,
    runtimeSessionId: trackedAgentId,
    tmuxWindowName: manifest?.tmuxWindowName ?? agentWindow,
  };
}

/** The window that a launch gives an agent. */
const agentWindow = 'agent';

const terminalBackends: ReadonlySet<string> = new Set([
  'local_interactive',
  'cao_rest',
  'houmao_server_rest',
]);
export const runsInTerminal = (backend: string): boolean => terminalBackends.has(backend);

/** Returns the id of a terminal: the given one, else one made from the session's name, which is the same after every start. */
const terminalIdOf = (given: string | null | undefined, tmuxSessionName: string): string =>
  given && /^[a-f0-9]{8}$/.test(given)
    ? given
    : createHash('sha256').update(tmuxSessionName).digest('hex').slice(0, 8);
