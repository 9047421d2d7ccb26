/** The command-line agents the gateway drives headless. */
export type ToolName = 'claude' | 'codex' | 'gemini';
