import { JetStreamApiCodes, JetStreamApiError, JetStreamError } from '@nats-io/jetstream';
import {
  AuthorizationError,
  ClosedConnectionError,
  ConnectionError,
  DrainingConnectionError,
  NoRespondersError,
  PermissionViolationError,
  RequestError,
  TimeoutError,
} from '@nats-io/transport-node';
import { certificateFaultOf } from '../../foundation/certificate-fault.js';
import type { FleetSettings } from './settings.js';
import { OtherLayout, StoreLost } from './stores.js';

/** This host may not be in the fleet now; the message says why and gives the remedy. */
export class HostRefused extends Error {
  override readonly name = 'HostRefused';
}

/** Pure: whether an error says that NATS could not do something, or did not answer; every other one is a defect of ours. */
export const isEngineFault = (error: unknown): boolean =>
  [
    ...[ClosedConnectionError, ConnectionError, DrainingConnectionError, JetStreamApiError, JetStreamError],
    NoRespondersError,
    ...[PermissionViolationError, RequestError, TimeoutError],
  ].some((kind) => error instanceof kind);

/** The codes with which JetStream says that it has no room: resources of the server, of the account, of the disk, a stream's limit. */
const noRoom: ReadonlySet<number> = new Set([10_023, 10_028, 10_047, 10_077]);

/** Pure: whether NATS gave no answer in time. */
export const isTimeout = (error: Error): boolean =>
  error instanceof TimeoutError || causeOf(error) instanceof TimeoutError;

/** Pure: returns the words of an error of NATS, with the remedy where it has no room, or confirms nothing. */
export function engineFaultWords(error: Error): string {
  if (error instanceof JetStreamApiError && noRoom.has(error.code))
    return `NATS has no room (${error.message}); give its disk more, or raise max_file_store in its configuration or the limit of the stream`;
  return isTimeout(error) ? 'NATS confirmed nothing in time; if that lasts, its log says why' : error.message;
}

/**
 * Pure: says why a session could not begin or has ended, and gives the remedy.
 * @param wasOpen whether its streams had been opened: then a stream without an answer is gone or has no leader now
 * @param answers whether JetStream answers another question since
 */
export function linkFaultOf(
  error: Error,
  { urls, host, credentials }: Pick<FleetSettings, 'urls' | 'host' | 'credentials'>,
  { wasOpen = false, answers = false } = {},
): { kind: 'offline' | 'refused'; reason: string } {
  const address = urls.join(', ');
  const offline = (reason: string) => ({ kind: 'offline', reason }) as const;
  const refused = (reason: string) => ({ kind: 'refused', reason }) as const;
  if (error instanceof HostRefused || error instanceof OtherLayout) return refused(error.message);
  if (error instanceof StoreLost) return offline(error.message);
  const cause = causeOf(error);
  if (cause instanceof AuthorizationError)
    return refused(
      credentials === null
        ? `NATS at ${address} asks for credentials; give them with --fleet-credentials`
        : `NATS at ${address} does not accept ${credentials.path}; see that its configuration has the key of this host`,
    );
  if (cause instanceof PermissionViolationError)
    return refused(
      `NATS at ${address} does not let ${host} ${cause.operation === 'publish' ? 'write' : 'read'} ${cause.subject}; give ${host} the key that was made for this name, or make the configuration of NATS again with \`houmao-mgr fleet credentials\``,
    );
  if (error instanceof JetStreamApiError)
    return error.code === JetStreamApiCodes.JetStreamNotEnabledForAccount
      ? refused(`NATS at ${address} has no JetStream for this account; enable it in its configuration`)
      : offline(`JetStream at ${address} cannot do what was asked: ${engineFaultWords(error)}`);
  if (cause instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders()))
    return wasOpen
      ? offline(`NATS at ${address} has lost a stream of the fleet, or not enough of its servers are there`)
      : refused(`NATS at ${address} has no JetStream; start it with a configuration that enables it`);
  if (isTimeout(error))
    return offline(
      answers
        ? `NATS at ${address} answers, and does not store what it is given; its log says why. If its disk was full, make room and start it again`
        : `NATS at ${address} does not answer`,
    );
  // The library has no kind of error for it.
  if (/does not support 'tls'/.test(error.message))
    return offline(
      `NATS at ${address} does not encrypt; give it a certificate (\`houmao-mgr fleet credentials --tls-cert\`), or join by nats://`,
    );
  const code = codeOf(error);
  const certificate = code === undefined ? null : certificateFaultOf(code);
  if (certificate === 'misnamed')
    return offline(
      `NATS at ${address} shows a certificate for another name (${code}); join by a name or an address that it is for`,
    );
  if (certificate === 'distrusted')
    return offline(
      `NATS at ${address} shows a certificate that is not trusted here (${code}); give the certificate of its authority with --fleet-ca (\`houmao-mgr fleet join --ca\`)`,
    );
  if (code === 'ECONNREFUSED') return offline(`no NATS server listens at ${address}`);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return offline(`the name in ${address} is not known`);
  return offline(`the connection to ${address} failed: ${error.message}`);
}

/** The error at the bottom of a chain: the library wraps what the network said. */
function causeOf(error: Error): Error {
  let found = error;
  for (let depth = 0; depth < 5 && found.cause instanceof Error; depth += 1) found = found.cause;
  return found;
}

function codeOf(error: Error): string | undefined {
  const { code } = causeOf(error) as NodeJS.ErrnoException;
  return code ?? /E[A-Z]{4,}/.exec(error.message)?.[0];
}
