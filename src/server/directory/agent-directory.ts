import type { Clock } from '../../foundation/clock.js';
import type { UnusableFile } from '../../foundation/faults.js';
import { FolderWatch } from '../../foundation/folders.js';
import { splitReference } from '../../foundation/host-name.js';
import { makeFolder } from '../../foundation/make-folder.js';
import { unprefixedName } from '../../launch/agent-name.js';
import { isFresh, recordFileName, recordsFolder } from '../../session/registry.js';
import { type RegistryRecord, recordFile } from '../../session/registry-record.js';
import type { Tmux } from '../../terminal/tmux.js';
import { everyServer } from '../../terminal/tmux-servers.js';
import { type AuthorityRecord, authorityFile, type Registration, registrationFile } from './agent-records.js';
import { LiveSessions } from './live-sessions.js';
import { inOrder, type ManagedAgent, managedAgents, runsInTerminal } from './managed-agents.js';
import { RecordFolder } from './record-folder.js';
import type { ServerPaths } from './server-paths.js';
import { ManifestIdentities } from './session-manifests.js';

// The agents of this host: how one is spoken of and found by its names, and the directory that follows their files.

/** The result of looking up a reference in a path. */
export type Resolution =
  | { readonly kind: 'one'; readonly agent: ManagedAgent }
  | { readonly kind: 'none' }
  /** The reference is blank. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'ambiguous'; readonly agents: readonly ManagedAgent[] };

/** Returns the name of an agent in sentences: the one that people gave it, or its id where it has none. */
export const spokenName = ({
  agentName,
  trackedAgentId,
}: Pick<ManagedAgent, 'agentName' | 'trackedAgentId'>): string =>
  agentName === null ? trackedAgentId : unprefixedName(agentName);

/** Returns the names of an agent, letter by letter. */
function givenTo(agent: ManagedAgent): ReadonlySet<string> {
  const { trackedAgentId, sessionName, terminalId, runtimeSessionId, agentName, agentId } = agent;
  const given = [trackedAgentId, sessionName, terminalId, runtimeSessionId, agentName, agentId];
  return new Set(given.filter((alias) => alias !== null));
}

/** Returns all names of an agent. A name that a launch has completed is also found as it was requested. */
export function aliasesOf(agent: ManagedAgent): ReadonlySet<string> {
  const asked = agent.agentName === null ? [] : [unprefixedName(agent.agentName)];
  return new Set([...givenTo(agent), ...asked]);
}

/**
 * The agents by alias, compared letter by letter; no agent is in it twice under one alias. A tracked id distinguishes the
 * agents of an ambiguous name, so a name without its prefix gives way to a tracked id.
 */
export class AliasIndex {
  readonly #byAlias = new Map<string, ManagedAgent[]>();

  constructor(agents: Iterable<ManagedAgent>) {
    for (const agent of agents)
      for (const alias of aliasesOf(agent)) {
        const same = this.#byAlias.get(alias);
        if (same) same.push(agent);
        else this.#byAlias.set(alias, [agent]);
      }
  }

  resolve(reference: string): Resolution {
    const alias = reference.trim();
    if (alias === '') return { kind: 'empty' };
    const all = this.#byAlias.get(alias) ?? this.#withoutPrefix(unprefixedName(alias));
    const tracked = all.some(({ trackedAgentId }) => trackedAgentId === alias);
    const [agent, ...others] = tracked ? all.filter((one) => givenTo(one).has(alias)) : all;
    if (!agent) return { kind: 'none' };
    return others.length === 0
      ? { kind: 'one', agent }
      : { kind: 'ambiguous', agents: inOrder([agent, ...others]) };
  }

  /**
   * Returns the agents whose name has no prefix: the older implementation gives such names, and `HOUMAO-alpha` finds
   * `alpha`.
   */
  #withoutPrefix(name: string): ManagedAgent[] {
    return (this.#byAlias.get(name) ?? []).filter(({ agentName }) => agentName === name);
  }
}

interface DirectoryParts {
  readonly paths: ServerPaths;
  readonly registryRoot: string;
  readonly tmux: Tmux;
  readonly clock: Clock;
  /** The name of this host in its fleet: `alpha@ws1` is `alpha` here; null without a fleet. */
  readonly hostName: string | null;
  report(fault: string): void;
}

/** The longest time that a change stays unseen when an event of the file system is missed: these events are only hints. */
const missedChangeMilliseconds = 5000;

/**
 * The agents of this host, from the registry, the registrations and the authority records, followed as these change. The
 * list is as old as the last check: {@link AgentDirectory.refresh} checks first, {@link AgentDirectory.find} also reads
 * the files again where an agent is missing.
 */
export class AgentDirectory {
  readonly #parts: DirectoryParts;
  readonly #registrations: RecordFolder<Registration>;
  readonly #authorities: RecordFolder<AuthorityRecord>;
  readonly #records: RecordFolder<RegistryRecord>;
  readonly #manifests: ManifestIdentities;
  readonly #sessions: LiveSessions;
  readonly #watch: FolderWatch;
  readonly #stopping = new AbortController();
  readonly #followers = new Set<() => void>();
  #agents: readonly ManagedAgent[] = [];
  #index = new AliasIndex([]);
  /** The time at which the next lease ends, in milliseconds since 1970. */
  #leaseEnds = Number.POSITIVE_INFINITY;

  constructor(parts: DirectoryParts) {
    this.#parts = parts;
    const { paths, registryRoot, clock } = parts;
    const report = ({ message }: UnusableFile): void => parts.report(message);
    const { parse } = registrationFile;
    this.#registrations = new RecordFolder({
      folder: paths.sessions,
      file: registrationFile.name,
      parse,
      report,
    });
    this.#authorities = new RecordFolder({
      folder: paths.managedAgents,
      file: authorityFile.name,
      parse: authorityFile.parse,
      report,
    });
    this.#records = new RecordFolder({
      folder: recordsFolder(registryRoot),
      file: recordFileName,
      parse: recordFile.parse,
      report,
    });
    this.#manifests = new ManifestIdentities(report);
    this.#sessions = new LiveSessions(
      () => this.#tmuxServers(),
      clock,
      (fault) => parts.report(fault),
    );
    this.#watch = new FolderWatch([], clock, missedChangeMilliseconds);
  }

  /** Reads everything once, and follows all changes. */
  async start(): Promise<void> {
    const { paths, registryRoot } = this.#parts;
    // A folder that does not exist yet could not be watched.
    for (const folder of [paths.sessions, paths.managedAgents, recordsFolder(registryRoot)])
      makeFolder(folder, 0o700);
    await this.changed();
    this.#follow().catch((error: Error) => this.#parts.report(`agents are not followed: ${error.message}`));
  }

  /** The name of this host in its fleet; null without one. */
  get hostName(): string | null {
    return this.#parts.hostName;
  }

  /** Returns the agents, sorted by transport, then by tracked id. */
  list(): readonly ManagedAgent[] {
    return this.#agents;
  }

  resolve(reference: string): Resolution {
    const found = this.#index.resolve(reference);
    const named = found.kind === 'none' ? splitReference(reference) : null;
    return named?.host === this.#parts.hostName ? this.#index.resolve(named.agent) : found;
  }

  byTerminal(terminalId: string): ManagedAgent | null {
    return this.#agents.find((agent) => agent.terminalId === terminalId) ?? null;
  }

  /** Like {@link resolve}, for what is there now: the answer is "none" only after the files were read again. */
  find(reference: string): Promise<Resolution> {
    return this.#found(
      () => this.resolve(reference),
      ({ kind }) => kind === 'none',
    );
  }

  /** Like {@link byTerminal}, for what is there now. */
  findTerminal(terminalId: string): Promise<ManagedAgent | null> {
    return this.#found(
      () => this.byTerminal(terminalId),
      (agent) => agent === null,
    );
  }

  async #found<T>(answer: () => T, isMissing: (found: T) => boolean): Promise<T> {
    await this.refresh();
    const known = answer();
    if (!isMissing(known)) return known;
    // Its files may be so new that their event has not come yet.
    await this.changed();
    return answer();
  }

  /** Makes sure that the known tmux sessions and leases are not older than a second. */
  async refresh(): Promise<void> {
    const changed = this.#hasTerminals && (await this.#sessions.refresh());
    if (changed || this.#parts.clock.now().getTime() > this.#leaseEnds) this.#merge();
  }

  /** Reads everything again, now. Call it after an agent was made, registered or ended. */
  async changed(): Promise<void> {
    this.#readChanged();
    if (this.#hasTerminals) await this.#sessions.ask();
    this.#merge();
  }

  /** @param listener called after each change of the agents. @returns the function that ends it. */
  follow(listener: () => void): () => void {
    this.#followers.add(listener);
    return () => void this.#followers.delete(listener);
  }

  close(): void {
    this.#stopping.abort();
    this.#watch.close();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#watch.change(signal);
      if (signal.aborted) return;
      if (!this.#readChanged() && !this.#manifests.incomplete) continue;
      if (this.#hasTerminals) await this.#sessions.ask();
      this.#merge();
    }
  }

  /** Whether any agent depends on which tmux sessions exist. */
  get #hasTerminals(): boolean {
    return (
      this.#registrations.records.length > 0 ||
      this.#records.records.some(({ identity }) => runsInTerminal(identity.backend))
    );
  }

  /** Returns the tmux servers on which terminals of agents are recorded; where one is not recorded, all servers. */
  #tmuxServers(): readonly Tmux[] {
    const { tmux } = this.#parts;
    const manifests = [
      ...this.#registrations.records.map(({ manifest_path }) => manifest_path),
      ...this.#records.records
        .filter(({ identity }) => runsInTerminal(identity.backend))
        .map(({ runtime }) => runtime.manifest_path),
    ];
    const sockets = new Set(
      manifests.map((path) => (path === null ? null : (this.#manifests.of(path)?.tmuxSocket ?? null))),
    );
    if (sockets.has(null)) return everyServer(tmux);
    return [tmux, ...[...sockets].flatMap((path) => (path === null ? [] : [tmux.at(path)]))];
  }

  /** Reads the files that have changed. @returns whether any has. */
  #readChanged(): boolean {
    const folders = [this.#registrations, this.#authorities, this.#records];
    const changed = folders.map((folder) => folder.look()).includes(true);
    if (!this.#stopping.signal.aborted) this.#watch.watch(folders.flatMap((folder) => folder.folders));
    return changed;
  }

  #merge(): void {
    const now = this.#parts.clock.now();
    const records = this.#records.records.filter((record) => isFresh(record, now));
    this.#leaseEnds = Math.min(...records.map(({ lease_expires_at }) => Date.parse(lease_expires_at)));
    const before = this.#agents;
    this.#agents = managedAgents({
      registrations: this.#registrations.records,
      authorities: this.#authorities.records,
      records,
      manifestOf: (path) => this.#manifests.of(path),
      isAlive: (session) => this.#sessions.has(session),
    });
    this.#manifests.keep(new Set(this.#agents.flatMap(({ manifestPath }) => manifestPath ?? [])));
    if (JSON.stringify(before) === JSON.stringify(this.#agents)) return;
    this.#index = new AliasIndex(this.#agents);
    for (const listener of this.#followers) listener();
  }
}
