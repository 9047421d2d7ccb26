export type AgentTool = 'claude' | 'codex' | 'gemini';

/** The executables that run.mjs installed. */
export function agentPath(tool: AgentTool): string {
  const paths: unknown = JSON.parse(process.env.HOUMAO_AGENT_PATHS ?? '{}');
  const found = typeof paths === 'object' && paths !== null ? Reflect.get(paths, tool) : undefined;
  if (typeof found !== 'string') throw new Error(`HOUMAO_AGENT_PATHS does not name ${tool}`);
  return found;
}
