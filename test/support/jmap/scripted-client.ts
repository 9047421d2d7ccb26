import { systemClock } from '../../../src/foundation/clock.js';
import { JmapClient } from '../../../src/mail/jmap/client/jmap-client.js';
import { credentialOf } from './accounts.js';
import type { ScriptedServer } from './scripted-server.js';

type ClientParts = ConstructorParameters<typeof JmapClient>[0];

/** By what a scripted server knows Alice. */
export const aliceCredential = credentialOf('alice', 'sesame');

/** A client of a scripted server, as Alice. */
export const scriptedClient = (server: ScriptedServer, more: Partial<ClientParts> = {}): JmapClient =>
  new JmapClient({
    jmapUrl: `${server.url}/jmap`,
    credential: () => aliceCredential,
    clock: systemClock,
    ...more,
  });
