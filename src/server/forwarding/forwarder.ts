import { isAlive, type ProcessIdentity } from '../../foundation/processes.js';
import { gatewayProcess } from '../../launch/live-gateway.js';
import { currentInstanceFile, type ListenHost } from '../../session/current-instance.js';
import { sessionPaths } from '../../session/session-paths.js';
import type { ManagedAgent } from '../directory/managed-agent.js';
import { fileSignature } from '../directory/record-folder.js';
import type { GatewayOperation } from './call-limit.js';
import type { GatewayAnswer, GatewayBody, GatewayCalls, GatewayQuestion } from './gateway-calls.js';
import { GatewayFault } from './gateway-fault.js';

/** A gateway that serves a session now. */
export interface LiveGateway {
  /** The port on 127.0.0.1. */
  readonly port: number;
  readonly pid: number;
  /** The address that it listens on; with 0.0.0.0 it serves no mail. */
  readonly host: ListenHost;
}

interface Known extends LiveGateway {
  /** The path of its record, kept because building the path takes longer than checking the file. */
  readonly record: string;
  readonly signature: string;
  readonly process: ProcessIdentity;
}

const healthMilliseconds = 2000;
/**
 * The statuses of a gateway that serves, but not this server: for instance one of another user, without permission for
 * this one.
 */
const refusesCaller: ReadonlySet<number> = new Set([401, 403]);

/**
 * The gateways that serve sessions. A published gateway counts only with an answer
 * (docs/decisions.md#trust-after-health). One that has answered is not asked again as long as its process lives and its
 * record stays: the next call shows its state.
 * A session is unknown (nothing published, or no answer yet) or known. Known becomes unknown when the record changes,
 * when the process has ended, and by {@link LiveGateways.doubt}.
 */
export class LiveGateways {
  readonly #calls: GatewayCalls;
  readonly #known = new Map<string, Known>();
  /** The checks under way: callers at the same time share one. */
  readonly #checks = new Map<string, Promise<LiveGateway | null>>();

  constructor(calls: GatewayCalls) {
    this.#calls = calls;
  }

  /**
   * Returns the gateway of a session; null where none serves it.
   * @param root of the session.
   */
  async of(root: string): Promise<LiveGateway | null> {
    const known = this.#known.get(root);
    const signature = fileSignature(known?.record ?? sessionPaths(root).currentInstance);
    if (signature === null) {
      this.#known.delete(root);
      return null;
    }
    if (known && known.signature === signature && isAlive(known.process)) return known;
    this.#known.delete(root);
    const look =
      this.#checks.get(root) ?? this.#check(root, signature).finally(() => this.#checks.delete(root));
    this.#checks.set(root, look);
    return look;
  }

  /** Makes the next caller check the gateway again; called after a call that got no answer. */
  doubt(root: string): void {
    this.#known.delete(root);
  }

  async #check(root: string, signature: string): Promise<LiveGateway | null> {
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

/** The result of a call to the gateway of an agent. */
export type ForwardResult<Body = unknown> =
  | { readonly kind: 'answered'; readonly answer: GatewayAnswer<Body> }
  /** The agent has no session of its own, so it can have no gateway. */
  | { readonly kind: 'no_session_root' }
  | { readonly kind: 'no_gateway' }
  | { readonly kind: 'failed'; readonly fault: GatewayFault };

/** Forwards calls to the live gateways of agents. */
export class GatewayForwarder {
  readonly #calls: GatewayCalls;
  readonly #live: LiveGateways;

  constructor(calls: GatewayCalls, live: LiveGateways) {
    this.#calls = calls;
    this.#live = live;
  }

  /**
   * Forwards a call. No call is sent twice: the outcome of one to a gateway that was lost is unknown. Only a wait that
   * this server cuts short because it stops is sent again, without waiting, for what is known by then.
   * @param question its `signal` ends a wait, and nothing else.
   */
  async forward<Id extends GatewayOperation>(
    agent: Pick<ManagedAgent, 'sessionRoot'>,
    operation: Id,
    question: GatewayQuestion,
  ): Promise<ForwardResult<GatewayBody<Id>>> {
    const root = agent.sessionRoot;
    if (root === null) return { kind: 'no_session_root' };
    const gateway = await this.#live.of(root);
    if (!gateway) return { kind: 'no_gateway' };
    const { signal, ...rest } = question;
    const waits = Number(question.query?.wait_seconds ?? 0) > 0;
    try {
      const asked = waits && signal ? { ...rest, signal } : rest;
      return { kind: 'answered', answer: await this.#calls.ask(gateway.port, operation, asked) };
    } catch (error) {
      if (!(error instanceof GatewayFault)) throw error;
      if (signal?.reason === 'stopping')
        return this.forward(agent, operation, { ...rest, query: { ...rest.query, wait_seconds: 0 } });
      if (error.trouble !== 'aborted') this.#live.doubt(root);
      return { kind: 'failed', fault: error };
    }
  }
}
