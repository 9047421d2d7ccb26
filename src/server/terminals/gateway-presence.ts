import { isAlive, type ProcessIdentity } from '../../foundation/processes.js';
import { gatewayProcess } from '../../launch/live-gateway.js';
import { currentInstanceFile } from '../../session/current-instance.js';
import type { SessionPaths } from '../../session/session-paths.js';
import { fileSignature } from '../directory/record-folder.js';

// The check whether the process of the gateway that published itself exists, made repeatedly:
//
//   absent ──a record appears, of a gateway that lives──▶ present ──the record goes or changes, the process ends──▶ absent
//
// The end of a killed process makes no event, so each check reads the record's signature, and the process where one is known.

export class GatewayPresence {
  readonly #paths: SessionPaths;
  #signature: string | null = null;
  #process: ProcessIdentity | null = null;

  constructor(paths: SessionPaths) {
    this.#paths = paths;
  }

  /** The record is read only when it has changed. */
  get isPresent(): boolean {
    const signature = fileSignature(this.#paths.currentInstance);
    if (signature !== this.#signature) {
      this.#signature = signature;
      const instance = signature && currentInstanceFile.readIfUsable(this.#paths.currentInstance);
      this.#process = instance ? gatewayProcess(instance.pid, this.#paths) : null;
    }
    if (this.#process && !isAlive(this.#process)) this.#process = null;
    return this.#process !== null;
  }
}
