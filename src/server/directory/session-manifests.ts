import { LRUCache } from 'lru-cache';
import { UnusableFile } from '../../foundation/faults.js';
import { fileSignature } from '../../foundation/folders.js';
import { manifestReader, readManifest } from '../../session/manifest.js';
import { tmuxSocketOf } from '../../session/manifest-facts.js';
import type { Manifest } from '../../session/manifest-schema.js';

/** The identity of an agent in its manifest. It stays the same as long as the session lives. */
export interface ManifestIdentity {
  readonly tmuxSessionName: string | null;
  /** The socket of the tmux server that has its session; null where that is not recorded. */
  readonly tmuxSocket: string | null;
  readonly tmuxWindowName: string | null;
  readonly terminalId: string | null;
  readonly runtimeSessionId: string | null;
  readonly agentName: string | null;
  readonly agentId: string | null;
}

interface Seen {
  readonly signature: string | null;
  readonly identity: ManifestIdentity | null;
}

/** The identities in manifests. A manifest is read once; one that cannot be read is tried again when it has changed. */
export class ManifestIdentities {
  readonly #report: (fault: UnusableFile) => void;
  readonly #seen = new Map<string, Seen>();

  /** @param report called once for each state of a manifest that cannot be used. */
  constructor(report: (fault: UnusableFile) => void) {
    this.#report = report;
  }

  /** Whether one of the requested manifests could not be read. */
  get incomplete(): boolean {
    return [...this.#seen.values()].some(({ identity }) => identity === null);
  }

  /** Returns null where there is no manifest that can be used. */
  of(path: string): ManifestIdentity | null {
    const before = this.#seen.get(path);
    if (before?.identity) return before.identity;
    const signature = fileSignature(path);
    if (before && before.signature === signature) return null;
    const identity = signature === null ? null : this.#read(path);
    this.#seen.set(path, { signature, identity });
    return identity;
  }

  /** Forgets the manifests of sessions that are gone. */
  keep(paths: ReadonlySet<string>): void {
    for (const path of this.#seen.keys()) if (!paths.has(path)) this.#seen.delete(path);
  }

  #read(path: string): ManifestIdentity | null {
    try {
      const manifest = readManifest(path);
      const { runtime, tmux, interactive, gateway_authority } = manifest;
      return {
        tmuxSessionName: manifest.tmux_session_name ?? null,
        tmuxSocket: tmuxSocketOf(manifest),
        tmuxWindowName: interactive?.tmux_window_name ?? tmux?.primary_window_name ?? null,
        terminalId: interactive?.terminal_id ?? gateway_authority?.attach.terminal_id ?? null,
        runtimeSessionId: runtime.session_id ?? null,
        agentName: manifest.agent_name ?? null,
        agentId: manifest.agent_id ?? null,
      };
    } catch (error) {
      if (!(error instanceof UnusableFile)) throw error;
      this.#report(error);
      return null;
    }
  }
}

/** The number of manifests that are kept, enough for the sessions in use at one time. */
const kept = 256;

/** The manifests of sessions as they are now. One that has not changed is not parsed again. */
export class SessionManifests {
  readonly #readers = new LRUCache<string, () => Manifest>({ max: kept });

  /**
   * Reads a manifest. The result is shared and must not be changed.
   * @param path of the manifest.
   * @throws {UnusableFile}
   */
  read(path: string): Manifest {
    const reader = this.#readers.get(path) ?? manifestReader(path);
    this.#readers.set(path, reader);
    return reader();
  }
}
