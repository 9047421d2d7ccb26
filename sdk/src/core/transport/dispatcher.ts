import type { LookupFunction } from 'node:net';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici/index.js';

/** Calls have their own limits (see ../limits.ts); undici's would cut long waits after five minutes. */
const noLimits = { headersTimeout: 0, bodyTimeout: 0 };

export interface ConnectionSettings {
  /** The longest wait for a connection; 0 for no limit. Left out, 10 s. */
  readonly connectMilliseconds?: number;
  /** False for a new connection for each call. Left out, connections are kept. */
  readonly keepsConnections?: boolean;
  /** Resolves names in place of the system. */
  readonly lookup?: LookupFunction;
}

/**
 * Makes the connections of a program to gateways and servers. A gateway is on this machine or near it, so a proxy that was set for
 * the internet must not come between, unless that is requested. Idle connections do not keep the process running.
 */
export function createDispatcher(
  obeysProxyVariables: boolean,
  { connectMilliseconds, keepsConnections = true, lookup }: ConnectionSettings = {},
): Dispatcher {
  const settings = {
    ...noLimits,
    connect: {
      ...(connectMilliseconds !== undefined && { timeout: connectMilliseconds }),
      ...(lookup && { lookup }),
    },
    ...(!keepsConnections && { pipelining: 0 }),
  };
  return obeysProxyVariables ? new EnvHttpProxyAgent(settings) : new Agent(settings);
}
