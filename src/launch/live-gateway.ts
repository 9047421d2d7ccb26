import { createGatewayClient } from '@houmao/sdk';
import { type CurrentInstance, currentInstanceFile } from '../session/current-instance.js';
import type { SessionPaths } from '../session/session-paths.js';

/** The address one can connect to. */
export const urlOf = (instance: Pick<CurrentInstance, 'port'>): string => `http://127.0.0.1:${instance.port}`;

/**
 * The gateway that serves a session now, if its `/health` answers (docs/decisions.md#trust-after-health); null
 * otherwise.
 */
export async function liveGateway(paths: SessionPaths): Promise<CurrentInstance | null> {
  const instance = currentInstanceFile.readIfUsable(paths.currentInstance);
  if (!instance) return null;
  const health = await createGatewayClient({ baseUrl: urlOf(instance), timeoutMs: 2000 })
    .getHealth()
    .catch(() => null);
  return health?.status === 'ok' ? instance : null;
}
