import { createGatewayClient, isGatewayError } from '@houmao/sdk';
import { type CurrentInstance, currentInstanceFile } from '../session/current-instance.js';
import type { SessionPaths } from '../session/session-paths.js';
import { gatewayProcess } from './gateway-process.js';

/** The address one can connect to. */
export const urlOf = (instance: Pick<CurrentInstance, 'port'>): string => `http://127.0.0.1:${instance.port}`;

/** What a look for the gateway of a session has shown; `detail` is a sentence. */
export type GatewaySight =
  /** None has published itself. */
  | { state: 'absent' }
  /** Its `/health` answers. */
  | { state: 'serving'; instance: CurrentInstance }
  /** It serves, but not this caller. */
  | { state: 'refusing'; instance: CurrentInstance; detail: string }
  /** It has published itself and gives no usable answer. */
  | { state: 'silent'; instance: CurrentInstance; detail: string };

const healthMilliseconds = 2000;

/** Looks for the gateway of a session: what is published counts only with an answer (docs/decisions.md#trust-after-health). */
export async function seeGateway(paths: SessionPaths): Promise<GatewaySight> {
  const instance = currentInstanceFile.readIfUsable(paths.currentInstance);
  if (!instance) return { state: 'absent' };
  // Its port may be another gateway's by now, and that one drives another agent.
  const itself = (): boolean => gatewayProcess(instance.pid, paths) !== null;
  try {
    await createGatewayClient({
      baseUrl: urlOf(instance),
      timeoutMs: healthMilliseconds,
      maxRetries: 0,
    }).getHealth();
    if (itself()) return { state: 'serving', instance };
    return { state: 'silent', instance, detail: `Another program answers at port ${instance.port}.` };
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    const { status, detail } = error;
    const refused = (status === 401 || status === 403) && itself();
    return { state: refused ? 'refusing' : 'silent', instance, detail };
  }
}

/** Whether a gateway lives that gives no answer. */
export const hangs = (sight: GatewaySight, paths: SessionPaths): boolean =>
  sight.state === 'silent' && gatewayProcess(sight.instance.pid, paths) !== null;

/** The gateway that serves a session now, if only others than this caller; null where none does. */
export async function liveGateway(paths: SessionPaths): Promise<CurrentInstance | null> {
  const sight = await seeGateway(paths);
  return sight.state === 'serving' || sight.state === 'refusing' ? sight.instance : null;
}
