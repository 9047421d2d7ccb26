import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import type { Answer } from '../../support/http.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { ask } from './ask.js';

type StartOptions = Parameters<typeof startGateway>[1];

/** A session with its gateway. */
export interface Served {
  readonly session: TestSession;
  gateway: GatewayProcess;
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  prompt(text: string, payload?: Record<string, unknown>): Promise<Answer>;
  interrupt(): Promise<Answer>;
  /** Waits until a request is final. */
  final(requestId: string): Promise<Answer['body']>;
  /** Waits until a turn has ended. */
  ended(turnId: string): Promise<Answer['body']>;
  /** Has the gateway look at its agent until the status is as wanted: an earlier look counts for a second. */
  statusWhen(wanted: (status: Answer['body']) => boolean): Promise<Answer['body']>;
  /** Waits until nothing runs and nothing is queued. */
  idle(): Promise<Answer['body']>;
  restart(between?: () => void | Promise<void>): Promise<void>;
}

type Prepare = (session: TestSession) => void;

/**
 * One session with one gateway for all tests of a block. They run in any order, so none may count on what another one left.
 * @param prepare changes the session before the gateway starts.
 */
export function serve(prepare: Prepare = () => undefined, options: StartOptions = {}): Served {
  const { served, start, end } = stage(prepare, options);
  beforeAll(start);
  afterAll(end);
  return served;
}

/** A session and a gateway of its own for each test of a block: for those that look at everything there is. */
export function serveEach(prepare: Prepare = () => undefined, options: StartOptions = {}): Served {
  const { served, start, end } = stage(prepare, options);
  beforeEach(start);
  afterEach(end);
  return served;
}

function stage(prepare: Prepare, options: StartOptions) {
  const state: { session?: TestSession; gateway?: GatewayProcess } = {};
  const start = async (): Promise<void> => {
    state.session = await makeSession();
    prepare(state.session);
    state.gateway = await startGateway(state.session, options);
  };
  const end = async (): Promise<void> => {
    await state.gateway?.stop();
    state.session?.remove();
  };
  const served: Served = {
    get session() {
      return state.session!;
    },
    get gateway() {
      return state.gateway!;
    },
    set gateway(gateway) {
      state.gateway = gateway;
    },
    ask: (method, path, body, headers) => ask(served.gateway.url, method, path, body, headers),
    prompt: (text, payload = {}) =>
      served.ask('POST', '/v1/requests', { kind: 'submit_prompt', payload: { prompt: text, ...payload } }),
    interrupt: () => served.ask('POST', '/v1/requests', { kind: 'interrupt', payload: {} }),
    final: async (requestId) => (await served.ask('GET', `/v1/requests/${requestId}?wait_seconds=30`)).body,
    ended: async (turnId) => (await served.ask('GET', `/v1/turns/${turnId}?wait_seconds=30`)).body,
    statusWhen: (wanted) =>
      vi.waitFor(
        async () => {
          const { body } = await served.ask('GET', '/v1/status');
          if (!wanted(body)) throw new Error(`the status is still ${JSON.stringify(body)}`);
          return body;
        },
        { timeout: 20_000, interval: 20 },
      ),
    idle: () =>
      served.statusWhen(
        ({ active_execution, queue_depth }) => active_execution === 'idle' && queue_depth === 0,
      ),
    restart: async (between) => {
      await served.gateway.stop();
      await between?.();
      served.gateway = await startGateway(served.session, options);
    },
  };
  return { served, start, end };
}
