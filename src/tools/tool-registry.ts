import type { ToolAdapter, ToolName } from './adapter/tool-adapter.js';
import { claudeAdapter } from './claude/claude-adapter.js';
import { codexAdapter } from './codex/codex-adapter.js';
import { geminiAdapter } from './gemini/gemini-adapter.js';

const adapters: Readonly<Record<ToolName, ToolAdapter>> = {
  claude: claudeAdapter,
  codex: codexAdapter,
  gemini: geminiAdapter,
};

export const toolNames: readonly ToolName[] = ['claude', 'codex', 'gemini'];

export function toolAdapter(name: ToolName): ToolAdapter {
  return adapters[name];
}

/** Returns the adapter for a manifest's `backend`, such as `claude_headless`; null for a backend that is not driven headless. */
export function adapterForBackend(backend: string): ToolAdapter | null {
  return toolNames.map(toolAdapter).find((adapter) => adapter.backend === backend) ?? null;
}

/** Narrows the name of a tool to its type; null for a tool that is not supported. */
export const knownTool = (tool: string): ToolName | null => toolNames.find((name) => name === tool) ?? null;
