import { LRUCache } from 'lru-cache';
import { manifestReader } from '../../session/manifest.js';
import type { Manifest } from '../../session/manifest-schema.js';

/** So many sessions are talked to at one time. */
const kept = 256;

/** The manifests of sessions as they are now. One that has not changed is not parsed again. */
export class SessionManifests {
  readonly #readers = new LRUCache<string, () => Manifest>({ max: kept });

  /** @param path of the manifest. What comes back is shared: nobody changes it. @throws {UnusableFile} */
  read(path: string): Manifest {
    const reader = this.#readers.get(path) ?? manifestReader(path);
    this.#readers.set(path, reader);
    return reader();
  }
}
