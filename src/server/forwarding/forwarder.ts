import { ExchangeFault } from '../../foundation/exchange-fault.js';
import { GatewayPresence } from '../../launch/live-gateway.js';
import type { CurrentInstance, ListenHost } from '../../session/current-instance.js';
import { sessionPaths } from '../../session/session-paths.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import type {
  GatewayAnswer,
  GatewayBody,
  GatewayCalls,
  GatewayOperation,
  GatewayQuestion,
} from './gateway-calls.js';

/** A gateway that serves a session now. */
export interface LiveGateway {
  /** The port on 127.0.0.1. */
  readonly port: number;
  readonly pid: number;
  /** The address that it listens on; with 0.0.0.0 it serves no mail. */
  readonly host: ListenHost;
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
  readonly #presences = new Map<string, GatewayPresence>();
  /** The gateways that have answered, with the record that each had then. */
  readonly #known = new Map<string, { record: CurrentInstance; gateway: LiveGateway }>();
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
    const presence = this.#presences.get(root) ?? new GatewayPresence(sessionPaths(root));
    const record = presence.published();
    if (record === null) {
      this.#presences.delete(root);
      this.#known.delete(root);
      return null;
    }
    this.#presences.set(root, presence);
    const known = this.#known.get(root);
    if (known?.record === record) return known.gateway;
    const look =
      this.#checks.get(root) ?? this.#check(root, presence, record).finally(() => this.#checks.delete(root));
    this.#checks.set(root, look);
    return look;
  }

  /** Makes the next caller check the gateway again; called after a call that got no answer. */
  doubt(root: string): void {
    this.#known.delete(root);
  }

  async #check(
    root: string,
    presence: GatewayPresence,
    record: CurrentInstance,
  ): Promise<LiveGateway | null> {
    const { port, pid, host } = record;
    // Where it ended meanwhile, its port may be another gateway's, and that one drives another agent.
    if (!(await this.#answers(port)) || presence.published() !== record) return null;
    const gateway = { port, pid, host };
    this.#known.set(root, { record, gateway });
    return gateway;
  }

  async #answers(port: number): Promise<boolean> {
    try {
      const answer = await this.#calls.ask(port, 'getHealth', { milliseconds: healthMilliseconds });
      return answer.kind === 'done' || refusesCaller.has(answer.status);
    } catch (error) {
      if (error instanceof ExchangeFault) return false;
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
  | { readonly kind: 'failed'; readonly fault: ExchangeFault };

/** Forwards calls to the live gateways of agents. */
export class GatewayForwarder {
  readonly #calls: GatewayCalls;
  readonly #live: LiveGateways;

  constructor(calls: GatewayCalls, live: LiveGateways) {
    this.#calls = calls;
    this.#live = live;
  }

  /**
   * Forwards a call. No call is sent twice: if the gateway is lost during a call, the outcome of the call is unknown. There is one
   * exception: if this server stops during a wait, it sends the call again without waiting, for the state at that moment.
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
      if (!(error instanceof ExchangeFault)) throw error;
      if (signal?.reason === 'stopping')
        return this.forward(agent, operation, { ...rest, query: { ...rest.query, wait_seconds: 0 } });
      if (error.trouble !== 'aborted') this.#live.doubt(root);
      return { kind: 'failed', fault: error };
    }
  }
}
