import type { HttpAnswer } from '../../foundation/http-exchange.js';

/**
 * Returns the server's own path for a path of a gateway, as its `Location` names it; null where the server has none.
 * @param reference the agent as the caller named it.
 */
export function managedLocation(location: string, reference: string): string | null {
  if (!location.startsWith(gatewayRoot)) return null;
  const rest = location.slice(gatewayRoot.length);
  const agent = `/houmao/agents/${encodeURIComponent(reference)}`;
  if (rest.startsWith('mail/')) return `${agent}/${rest}`;
  if (rest.startsWith(terminalRoot)) return `${agent}/gateway/${rest.slice('control/'.length)}`;
  return `${agent}/gateway/${rest}`;
}

const gatewayRoot = '/v1/';
const terminalRoot = 'control/tui/';

/** The headers that are forwarded, with their spelling. Others describe the connection, or are the server's own. */
const kept = new Map([
  ['retry-after', 'Retry-After'],
  ['idempotency-replayed', 'Idempotency-Replayed'],
]);
const ours = 'x-houmao-';

/**
 * Returns the headers of a gateway's answer that reach the caller.
 * @param reference the agent as the caller named it.
 */
export function forwardedHeaders(headers: HttpAnswer['headers'], reference: string): Record<string, string> {
  const forwarded: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string') continue;
    if (name === 'location') {
      const location = managedLocation(value, reference);
      if (location !== null) forwarded.Location = location;
    } else if (name.startsWith(ours)) forwarded[inContractCase(name)] = value;
    else {
      const written = kept.get(name);
      if (written) forwarded[written] = value;
    }
  }
  return forwarded;
}

/** Converts a header name to the spelling of the contract: `x-houmao-turn-id` is `X-Houmao-Turn-Id` there. */
const inContractCase = (name: string): string => name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
