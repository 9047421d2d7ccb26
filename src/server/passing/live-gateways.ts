import { isAlive, type ProcessIdentity } from '../../foundation/process-identity.js';
import { gatewayProcess } from '../../launch/gateway-process.js';
import { currentInstanceFile } from '../../session/current-instance.js';
import type { ListenHost } from '../../session/gateway-place.js';
import { sessionPaths } from '../../session/session-paths.js';
import { fileSignature } from '../directory/file-signature.js';
import type { GatewayCalls } from './gateway-calls.js';
import { GatewayFault } from './gateway-fault.js';

/** A gateway that serves a session now. */
export interface LiveGateway {
  /** On 127.0.0.1. */
  readonly port: number;
  readonly pid: number;
  /** What it listens on; with 0.0.0.0 it serves no mail. */
  readonly host: ListenHost;
}

interface Known extends LiveGateway {
  /** The path of its record: to make it up takes longer than to look at it. */
  readonly record: string;
  readonly signature: string;
  readonly process: ProcessIdentity;
}

const healthMilliseconds = 2000;
/** It serves, but not this server: another user's that was not told to. */
const refusesCaller: ReadonlySet<number> = new Set([401, 403]);

/**
 * Which gateway serves a session. What is published counts only with an answer (docs/decisions.md#trust-after-health). One
 * that has answered is not asked again as long as its process lives and its record stays: its next call tells.
 *
 * A session is unknown (nothing published, or no answer yet) or known. Known becomes unknown when the record changes, when
 * the process has ended, and by {@link LiveGateways.doubt}.
 */
export class LiveGateways {
  readonly #calls: GatewayCalls;
  readonly #known = new Map<string, Known>();
  /** Looks that are under way: callers that come together share one. */
  readonly #looks = new Map<string, Promise<LiveGateway | null>>();

  constructor(calls: GatewayCalls) {
    this.#calls = calls;
  }

  /** Null where none serves the session. @param root of the session. */
  async of(root: string): Promise<LiveGateway | null> {
    const known = this.#known.get(root);
    const signature = fileSignature(known?.record ?? sessionPaths(root).currentInstance);
    if (signature === null) {
      this.#known.delete(root);
      return null;
    }
    if (known && known.signature === signature && isAlive(known.process)) return known;
    this.#known.delete(root);
    const look = this.#looks.get(root) ?? this.#look(root, signature).finally(() => this.#looks.delete(root));
    this.#looks.set(root, look);
    return look;
  }

  /** Has the next one who asks look anew: after a call that got no answer. */
  doubt(root: string): void {
    this.#known.delete(root);
  }

  async #look(root: string, signature: string): Promise<LiveGateway | null> {
    const paths = sessionPaths(root);
    const instance = currentInstanceFile.readIfUsable(paths.currentInstance);
    if (!instance || !(await this.#answers(instance.port))) return null;
    // Its port may be another gateway's by now, and that one drives another agent.
    const process = gatewayProcess(instance.pid, paths);
    if (!process) return null;
    const { port, pid, host } = instance;
    this.#known.set(root, { port, pid, host, record: paths.currentInstance, signature, process });
    return { port, pid, host };
  }

  async #answers(port: number): Promise<boolean> {
    try {
      const answer = await this.#calls.ask(port, 'getHealth', { milliseconds: healthMilliseconds });
      return answer.kind === 'done' || refusesCaller.has(answer.status);
    } catch (error) {
      if (error instanceof GatewayFault) return false;
      throw error;
    }
  }
}
