import type { SessionPaths } from '../../src/session/session-paths.js';
import { recordingFlags } from './run/recorded-answers.js';
import { type ServingProcess, startServing } from './serving-process.js';
import { gatewayProgram, type TestSession } from './test-session.js';

/** A real gateway process that serves a session. */
export interface GatewayProcess extends ServingProcess {
  readonly paths: SessionPaths;
}

/** Starts `houmao-gateway` and waits until it says where it listens. Answers that break the contract throw. */
export async function startGateway(
  session: TestSession,
  options: {
    flags?: readonly string[];
    environment?: NodeJS.ProcessEnv;
    host?: string;
    detached?: boolean;
    /** A command that the gateway is started by, such as one that enters a namespace. */
    through?: readonly string[];
  } = {},
): Promise<GatewayProcess> {
  const { through = [], flags = [], host = '127.0.0.1', detached = false } = options;
  const root = session.paths.root;
  const own = ['--gateway-root', root, '--host', host, '--port', '0'];
  const program = [process.execPath, ...recordingFlags(), gatewayProgram];
  const serving = await startServing([...through, ...program, ...own, ...flags], {
    environment: { ...session.environment, HOUMAO_STRICT_RESPONSES: '1', ...options.environment },
    detached,
  });
  return { ...serving, paths: session.paths };
}
