import { afterEach, beforeEach, expect } from 'vitest';
import { agentsOf } from '../../e2e/recovery/evidence.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { makeSession, type TestSession } from '../../support/test-session.js';

/** A headless agent without a gateway, and the server over it. */
export interface AgentAtServer {
  readonly session: TestSession;
  readonly server: ManagedServer;
}

/** One for each test of a block. At its end nothing has gone wrong inside the server, and no process of the agent is left. */
export function agentAtServerEach(): AgentAtServer {
  const made: { session?: TestSession; server?: ManagedServer } = {};
  const here: AgentAtServer = {
    get session() {
      return there(made.session);
    },
    get server() {
      return there(made.server);
    },
  };
  beforeEach(async () => {
    made.session = await makeSession();
    made.server = await openManagedServer(made.session.folder);
  });
  afterEach(async () => {
    await here.server.close();
    expect(here.server.faults).toEqual([]);
    await expect.poll(() => agentsOf(here.session)).toEqual([]);
    here.session.remove();
  });
  return here;
}

function there<T>(made: T | undefined): T {
  if (made === undefined) throw new Error('it is made before each test');
  return made;
}
