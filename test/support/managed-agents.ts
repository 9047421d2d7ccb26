import { join } from 'node:path';
import type { AgentHost } from '../../src/launch/agent-host.js';
import { checkLaunch } from '../../src/launch/check-launch.js';
import { createSession } from '../../src/launch/create-session.js';
import type { RequestedLaunch } from '../../src/launch/launch-request.js';
import type { SessionPaths } from '../../src/session/session-paths.js';
import { requestFor } from './launch-host.js';

/** Launches a stand-in agent on a host, each with a home of its own. @param more of the request. */
export function launchOn(
  host: AgentHost,
  folder: string,
  name: string,
  more: Partial<RequestedLaunch> = {},
): Promise<SessionPaths> {
  const homePath = join(folder, `home-of-${name}`);
  return createSession(checkLaunch(requestFor(name, folder, { homePath, ...more }), host), host);
}
