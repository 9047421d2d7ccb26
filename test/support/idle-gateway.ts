import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { systemClock } from '../../src/foundation/clock.js';
import { Gateway } from '../../src/gateway/gateway.js';
import { gatewayHandlers } from '../../src/gateway/handlers/handlers.js';
import { gatewaySurface } from '../../src/gateway/process/gateway-process.js';
import { readKeeping } from '../../src/session/keeping.js';
import { readManifest } from '../../src/session/manifest.js';
import type { SessionPaths } from '../../src/session/session-paths.js';
import { trackerTimings } from '../../src/terminal/tracker/tracker-timings.js';
import { bindHere } from './bind-here.js';
import { type Answer, call } from './http.js';
import { ownTurns } from './own-turns.js';
import { makeSession, type TestSession } from './test-session.js';
import { agentScript } from './turn-job.js';

/** A gateway in this process that answers over HTTP and starts nothing: what is queued stays queued. */
export interface IdleGateway {
  gateway: Gateway;
  session: TestSession;
  faults: string[];
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

/** @param change what the session is like before the gateway opens it. */
export async function idleGateway(
  change: (paths: SessionPaths) => void = () => undefined,
  host: '127.0.0.1' | '0.0.0.0' = '127.0.0.1',
): Promise<IdleGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-idle-'));
  // Nothing runs it, but it has to be there.
  const session = await makeSession({ folder, executable: agentScript(folder, '') });
  const { paths } = session;
  change(paths);
  const faults: string[] = [];
  const ownership = ownTurns(paths);
  const surface = await bindHere(gatewaySurface, 'token', (fault) => void faults.push(fault));
  const manifest = readManifest(paths.manifest);
  const gateway = await Gateway.open({
    paths,
    ownership,
    clock: systemClock,
    environment: process.env,
    timings: trackerTimings(),
    followers: [],
    keeping: readKeeping(paths.keeping),
    identity: {
      attachIdentity: 's',
      backend: manifest.backend,
      tmuxSessionName: basename(paths.root),
      executionMode: 'detached_process',
      host,
      port: surface.port,
      tmuxWindowId: null,
      tmuxWindowIndex: null,
      tmuxPaneId: null,
    },
  });
  surface.answerWith(gatewayHandlers(gateway) as unknown as Record<string, unknown>, null);
  return {
    gateway,
    session,
    faults,
    ask: (...given) => call(`http://127.0.0.1:${surface.port}`, ...given),
    async close() {
      await surface.stop(() => gateway.quiesce());
      await gateway.close();
      ownership.release();
      session.remove();
    },
  };
}
