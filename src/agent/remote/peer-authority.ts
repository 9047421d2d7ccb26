import type { Manifest } from '../../session/manifest-schema.js';

/** The server that owns the agent's terminal, and the terminal's name there. */
export interface TerminalAuthority {
  baseUrl: string;
  terminalId: string;
}

/** The server that runs a headless agent, and the agent's name there. */
export interface ManagedAuthority {
  baseUrl: string;
  agentRef: string;
}

type Section = { api_base_url?: unknown; terminal_id?: unknown } | null | undefined;

const text = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value : null;

/** Returns the manifest's control authority, else the backend's own section; null if neither names both server and terminal. */
export function terminalAuthorityOf(manifest: Manifest): TerminalAuthority | null {
  const control = manifest.gateway_authority?.control;
  const section: Section = manifest.backend === 'cao_rest' ? manifest.cao : manifest.houmao_server;
  const baseUrl = text(control?.api_base_url) ?? text(section?.api_base_url);
  const terminalId = text(control?.terminal_id) ?? text(section?.terminal_id);
  return baseUrl === null || terminalId === null ? null : { baseUrl, terminalId };
}

/** Returns null unless the manifest names both. */
export function managedAuthorityOf(manifest: Manifest): ManagedAuthority | null {
  const control = manifest.gateway_authority?.control;
  const baseUrl = text(control?.api_base_url);
  const agentRef = text(control?.managed_agent_ref);
  return baseUrl === null || agentRef === null ? null : { baseUrl, agentRef };
}
