import type { Handlers } from '../../../generated/managed-agent/server/index.js';
import type { ManagedAgentServer } from '../server.js';
import { directoryHandlers } from './directory.js';
import { gatewayHandlers } from './gateway.js';
import { healthHandlers } from './health.js';
import { inspectedHandlers } from './inspected.js';
import { internalHandlers } from './internal.js';
import { launchHandlers } from './launches.js';
import { mailHandlers } from './mail.js';
import { passedHandlers } from './passed.js';
import { processHandlers } from './server.js';
import { stopHandlers } from './stop.js';
import { turnArtifactHandlers } from './turn-artifacts.js';
import { turnHandlers } from './turns.js';

/** Every operation of the contract; one that is missing does not compile. */
export const serverHandlers = (server: ManagedAgentServer): Handlers => ({
  ...healthHandlers(),
  ...inspectedHandlers(server),
  ...processHandlers(server),
  ...directoryHandlers(server),
  ...launchHandlers(server),
  ...stopHandlers(server),
  ...turnHandlers(server),
  ...turnArtifactHandlers(server),
  ...internalHandlers(server),
  ...gatewayHandlers(server),
  ...passedHandlers(server),
  ...mailHandlers(server),
});
