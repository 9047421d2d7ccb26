/**
 * The server's own path for a path of a gateway, as its `Location` names it; null where the server has none.
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
