import type { ToolName } from './adapter/tool-name.js';
import { claudeSelfReport } from './claude/self-report/claude-self-report.js';
import { codexSelfReport } from './codex/self-report/codex-self-report.js';
import { geminiSelfReport } from './gemini/self-report/gemini-self-report.js';
import type { ToolSelfReport } from './self-report/self-report.js';

const reports: Readonly<Record<ToolName, ToolSelfReport>> = {
  claude: claudeSelfReport,
  codex: codexSelfReport,
  gemini: geminiSelfReport,
};

export function toolSelfReport(name: ToolName): ToolSelfReport {
  return reports[name];
}
