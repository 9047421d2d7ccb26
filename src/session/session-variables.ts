import type { Manifest } from './manifest-schema.js';
import type { SessionPaths } from './session-paths.js';

/** What tells a program that an agent runs whose session it is in, in the names that the older implementation uses. */
export const sessionVariables = (
  { agent_id, tool }: Pick<Manifest, 'agent_id' | 'tool'>,
  { manifest }: Pick<SessionPaths, 'manifest'>,
): Record<string, string> => ({
  HOUMAO_MANIFEST_PATH: manifest,
  HOUMAO_AGENT_ID: agent_id ?? '',
  HOUMAO_TOOL: tool,
});
