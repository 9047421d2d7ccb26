import type { ManagedAgent } from '../directory/managed-agent.js';
import type { GatewayOperation } from './call-limit.js';
import type { GatewayAnswer, GatewayBody, GatewayCalls, GatewayQuestion } from './gateway-calls.js';
import { GatewayFault } from './gateway-fault.js';
import type { LiveGateways } from './live-gateways.js';

/** What came of a call to the gateway of an agent. */
export type Passed<Body = unknown> =
  | { readonly kind: 'answered'; readonly answer: GatewayAnswer<Body> }
  /** It has no session of its own, so it can have no gateway. */
  | { readonly kind: 'no_session_root' }
  | { readonly kind: 'no_gateway' }
  | { readonly kind: 'failed'; readonly fault: GatewayFault };

/** Passes calls on to the live gateways of agents. */
export class Passing {
  readonly #calls: GatewayCalls;
  readonly #live: LiveGateways;

  constructor(calls: GatewayCalls, live: LiveGateways) {
    this.#calls = calls;
    this.#live = live;
  }

  /**
   * Nothing is asked twice: a gateway that was lost may have done what it was asked. Only a wait that this server cuts short,
   * because it stops, is asked for what is known by then.
   * @param question its `signal` ends a wait, and nothing else.
   */
  async pass<Id extends GatewayOperation>(
    agent: Pick<ManagedAgent, 'sessionRoot'>,
    operation: Id,
    question: GatewayQuestion,
  ): Promise<Passed<GatewayBody<Id>>> {
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
        return this.pass(agent, operation, { ...rest, query: { ...rest.query, wait_seconds: 0 } });
      if (error.trouble !== 'aborted') this.#live.doubt(root);
      return { kind: 'failed', fault: error };
    }
  }
}
