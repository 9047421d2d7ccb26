import { statSync } from 'node:fs';
import { isAlive, type ProcessIdentity } from '../../foundation/process-identity.js';
import { gatewayProcess } from '../../launch/gateway-process.js';
import { currentInstanceFile } from '../../session/current-instance.js';
import type { SessionPaths } from '../../session/session-paths.js';

/** Whether the gateway that published itself has a process. Asked often: its file is read again when it was written. */
export class GatewaySign {
  readonly #paths: SessionPaths;
  #mark = '';
  #process: ProcessIdentity | null = null;

  constructor(paths: SessionPaths) {
    this.#paths = paths;
  }

  isThere(): boolean {
    const status = statSync(this.#paths.currentInstance, { throwIfNoEntry: false });
    if (!status) return false;
    const mark = `${status.ino} ${status.mtimeMs} ${status.size}`;
    if (mark !== this.#mark) {
      const instance = currentInstanceFile.readIfUsable(this.#paths.currentInstance);
      this.#process = instance && gatewayProcess(instance.pid, this.#paths);
      this.#mark = mark;
    }
    return this.#process !== null && isAlive(this.#process);
  }
}
