/**
 * Names the server that gives this health if it is not a managed-agent server, as the end of a sentence; null for a
 * managed-agent server, undefined for a server that is not Houmao's.
 */
export function foreignToServer(health: unknown): string | null | undefined {
  const { houmao_service, protocol_version } = (health ?? {}) as Record<string, unknown>;
  if (typeof protocol_version === 'string')
    return 'it is the gateway of one agent: call it by createGatewayClient';
  return typeof houmao_service === 'string' ? null : undefined;
}
