import type { ExecutionMode, ListenHost } from '../session/gateway-place.js';

/** What a caller wants of the gateway; null leaves it as it was, or at its default. */
export interface GatewayWish {
  host: ListenHost | null;
  port: number | null;
  mode: ExecutionMode | null;
  diagnosticLog: boolean | null;
  /** Further flags of `houmao-gateway`, for this start. */
  flags: readonly string[];
}
