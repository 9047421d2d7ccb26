// The names in a fleet: its address, its hosts, their agents such as `alpha@ws1`, and what it keeps for them.

/**
 * Reads the addresses of the NATS servers of a fleet, with commas between: {@link fleetUrlRule}.
 * @returns null where one of them is none
 */
export function fleetUrls(text: string): string[] | null {
  const urls = text.split(',').map((url) => url.trim());
  return urls.every(isFleetUrl) ? urls : null;
}
export const fleetUrlRule =
  'must be nats://host:port or tls://host:port, or several of them with commas between';

function isFleetUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && ['nats:', 'tls:'].includes(url.protocol) && url.hostname !== '';
}

/** On how many NATS servers a fleet may be kept. */
export const isReplicaCount = (count: number): boolean => [1, 3, 5].includes(count);
export const replicaRule = 'must be 1, 3 or 5';

/** The rule for names of hosts, which are a part of subjects, keys and references such as `alpha@ws1`. */
export const hostNamePattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
export const hostNameRule =
  'small letters, digits and - only, at most 63, beginning and ending with a letter or digit';

/**
 * Returns the name of a host that is given none: the first label of the machine's name, made to fit {@link hostNamePattern}; `host`
 * where nothing of it fits.
 */
export const usualHostName = (machine: string): string =>
  (machine.split('.')[0] ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 63)
    .replace(/-+$/, '') || 'host';

/** Returns the agent and the host of a reference such as `alpha@ws1`, or `alpha@WS1`; null where it names no host. */
export function splitReference(reference: string): { agent: string; host: string } | null {
  const at = reference.lastIndexOf('@');
  const host = reference.slice(at + 1).toLowerCase();
  return at > 0 && hostNamePattern.test(host) ? { agent: reference.slice(0, at), host } : null;
}

/** Whether a request is named by the command of the fleet that brought it. */
export const isCommandId = (requestId: string): boolean => requestId.startsWith('fcmd-');
