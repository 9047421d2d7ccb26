/**
 * Names the server that gives this health if it is not a gateway, as the end of a sentence; null for a gateway, undefined for a
 * server that is not Houmao's.
 */
export function foreignToGateway(health: unknown): string | null | undefined {
  const { houmao_service, protocol_version } = (health ?? {}) as Record<string, unknown>;
  if (typeof houmao_service === 'string')
    return `it is a managed-agent server (${houmao_service}): call it by createHoumaoClient`;
  return typeof protocol_version === 'string' ? null : undefined;
}
