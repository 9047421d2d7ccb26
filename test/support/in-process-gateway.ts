import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { systemClock } from '../../src/foundation/clock.js';
import { Gateway } from '../../src/gateway/gateway.js';
import { gatewayHandlers } from '../../src/gateway/handlers/handlers.js';
import { gatewaySurface } from '../../src/gateway/process/gateway-process.js';
import { type BoundSurface, bindSurface } from '../../src/http/surface.js';
import { readKeeping } from '../../src/session/keeping.js';
import { readManifest } from '../../src/session/manifest.js';
import { attachIdentityOf } from '../../src/session/manifest-facts.js';
import { trackerTimings } from '../../src/terminal/tracker/tracker-timings.js';
import { ownTurns } from './own-turns.js';
import { makeSession, type TestSession } from './test-session.js';

export interface InProcessGateway {
  session: TestSession;
  gateway: Gateway;
  surface: BoundSurface;
  url: string;
  faults: string[];
}

/** A gateway of this very process, with a session of its own, serving. The test stops it. */
export async function openGateway(): Promise<InProcessGateway> {
  const session = await makeSession();
  const { paths } = session;
  const manifest = readManifest(paths.manifest);
  const faults: string[] = [];
  const surface = await bindSurface(gatewaySurface, {
    host: '127.0.0.1',
    port: 0,
    maxConnections: null,
    callers: { token: 'gateway-token', users: new Set([process.getuid?.() ?? 0]) },
    admitted: { hosts: new Set(), origins: new Set() },
    strictAnswers: true,
    load: createRequire(import.meta.url),
    report: (fault) => void faults.push(fault),
  });
  const gateway = await Gateway.open({
    paths,
    identity: {
      attachIdentity: attachIdentityOf(manifest, basename(paths.root)),
      backend: manifest.backend,
      tmuxSessionName: basename(paths.root),
      executionMode: 'detached_process',
      host: '127.0.0.1',
      port: surface.port,
      tmuxWindowId: null,
      tmuxWindowIndex: null,
      tmuxPaneId: null,
    },
    clock: systemClock,
    ownership: ownTurns(paths),
    environment: process.env,
    timings: trackerTimings(),
    followers: [],
    keeping: readKeeping(paths.keeping),
  });
  await gateway.start();
  surface.answerWith(gatewayHandlers(gateway) as unknown as Record<string, unknown>, null);
  return { session, gateway, surface, url: `http://127.0.0.1:${surface.port}`, faults };
}
