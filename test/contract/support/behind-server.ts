import { afterAll, beforeAll } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import type { Answer } from '../../support/http.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { ask } from './ask.js';

/** An agent, its gateway, and the server over both. */
export interface BehindServer {
  readonly server: ManagedServer;
  readonly session: TestSession;
  gateway: GatewayProcess | null;
  /** The name of the agent, without its prefix. */
  readonly name: string;
  /** Asks the server. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Asks the server for something of this agent, such as `/gateway/requests`. */
  agent(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Asks the gateway itself. */
  direct(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  startGateway(): Promise<GatewayProcess>;
}

/**
 * One agent with its gateway behind one server, for all tests of a block.
 * @param options.prepare changes the session before the gateway starts; without `gateway` none is started.
 */
export function behindServer(
  options: {
    launch?: Parameters<typeof makeSession>[0];
    prepare?: (session: TestSession) => void | Promise<void>;
    gateway?: boolean;
  } = {},
): BehindServer {
  const state: { server?: ManagedServer; session?: TestSession; gateway?: GatewayProcess | null } = {};
  const behind: BehindServer = {
    get server() {
      return state.server!;
    },
    get session() {
      return state.session!;
    },
    get gateway() {
      return state.gateway ?? null;
    },
    set gateway(gateway) {
      state.gateway = gateway;
    },
    get name() {
      const { agents } = { agents: state.server!.server.directory.list() };
      return (agents[0]?.agentName ?? '').replace(/^HOUMAO-/, '');
    },
    ask: (...given) => ask(state.server!.url, ...given),
    agent: (method, path, body, headers) =>
      ask(state.server!.url, method, `/houmao/agents/${behind.name}${path}`, body, headers),
    direct: (...given) => ask(state.gateway!.url, ...given),
    startGateway: async () => {
      state.gateway = await startGateway(state.session!);
      return state.gateway;
    },
  };
  beforeAll(async () => {
    state.session = await makeSession(options.launch);
    await options.prepare?.(state.session);
    if (options.gateway !== false) await behind.startGateway();
    state.server = await openManagedServer(state.session.folder);
  });
  afterAll(async () => {
    await state.gateway?.stop();
    await state.server?.close();
    state.session?.remove();
  });
  return behind;
}
